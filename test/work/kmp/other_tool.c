/* SPDX-License-Identifier: MIT */
/* Another OMPT tool in the process: it sees the same with us as without. */
// needs: clang
// expect: "another tool" in [x["note"] for x in r["runtimes"] if x["name"] == "libomp"][0]
// expect: [x["what"] for x in r["losses"]] == ["calls"]
// lib: other_tool_so.c
#include <stdio.h>

#include "../../lib/omp_tasks.h"

void other_tool_print(void *function);
void other_tool_program(void *function);

int main(void)
{
	long result = 0, sum = 0;
	int x = 0;

	other_tool_program((void *)main);
	for (int k = 0; k < 3; k++) {
#pragma omp parallel num_threads(3)
#pragma omp single
		result = fib(12);
	}
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 1;
#pragma omp task depend(in : x) if (0) shared(x, sum)
		sum += x;
#pragma omp task shared(sum)
#pragma omp atomic
		sum += 3;
#pragma omp taskwait
	}
	printf("result %ld sum %ld\n", result, sum);
	other_tool_print((void *)main);
	printf("tptrace-tasks 0\n");
	return result != 144 || sum != 4;
}
