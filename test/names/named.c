/* SPDX-License-Identifier: MIT */
/* named.c - tasks that the program names itself; a comment @what stands on the line of the row. */
#include <stdio.h>

#include "preload/tptrace.h"
#include "work.h"

static void plain(int n)
{
#pragma omp task firstprivate(n) /* @plain */
	work(n);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 40; i++) {
#pragma omp task firstprivate(i) /* @tile */
		{
			tptrace_name("render tile");
			work(20 + i);
		}
#pragma omp task firstprivate(i) /* @last */
		{
			work(10);
			tptrace_name("write tile");
		}
		plain(5);
	}
	printf("done\n");
	return 0;
}
