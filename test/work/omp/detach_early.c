/* SPDX-License-Identifier: MIT */
/* task detach(..), fulfilled by its creator, mostly before the body begins: omp_fulfill_event. */
// needs: gcc11 clang
// not-on: gcc-on-libomp
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n = 0;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < 50; i++) {
		omp_event_handle_t e;

#pragma omp task detach(e) shared(n)
#pragma omp atomic
		n++;
		omp_fulfill_event(e);
	}
	printf("n %ld\n", n);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 50\n");
	return n != 50;
}
