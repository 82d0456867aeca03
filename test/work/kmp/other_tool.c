/* SPDX-License-Identifier: MIT */
/* Another OMPT tool in the process: it sees the same with us as without. */
// lib: other_tool_so.c
#include <stdio.h>

void other_tool_print(void *function);
void other_tool_program(void *function);

static long fib(int n)
{
	long a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib(n - 1);
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

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
	printf("tptrace-tasks %d\n", 3 * 232 + 3);
	return result != 144 || sum != 4;
}
