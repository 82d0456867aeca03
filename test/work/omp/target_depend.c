/* SPDX-License-Identifier: MIT */
/* Target constructs that wait for dependences run other tasks meanwhile. */
// not-on: clang gcc-on-libomp
// flags: -foffload=disable
// env: OMP_TARGET_OFFLOAD=DISABLED
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 10

int main(void)
{
	int a, b, c, n = 0, right = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < ROUNDS; i++) {
		a = b = c = 0;
		for (int j = 0; j < 3; j++)
#pragma omp task depend(inout : a) shared(a, n)
		{
			usleep(100);
#pragma omp atomic
			n++;
			a++;
		}
#pragma omp target depend(in : a) map(tofrom : b)
#pragma omp parallel num_threads(1)
#pragma omp single
		b++;
#pragma omp task depend(inout : a) shared(a, n)
		{
			usleep(100);
#pragma omp atomic
			n++;
			a++;
		}
#pragma omp target enter data map(to : b) depend(in : a)
#pragma omp task depend(inout : a) shared(a, n)
		{
			usleep(100);
#pragma omp atomic
			n++;
			a++;
		}
#pragma omp target update to(b) depend(in : a)
#pragma omp task depend(out : c) shared(b, c)
		c = b;
#pragma omp target exit data map(from : b) depend(in : c)
		right += c == 1 && a == 5;
	}
	printf("right %d n %d\n", right, n);
	printf("tptrace-tasks %d\n", 7 * ROUNDS);
	return right != ROUNDS || n != 5 * ROUNDS;
}
