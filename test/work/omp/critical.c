/* SPDX-License-Identifier: MIT */
/* critical, unnamed and named: GOMP_critical_start and _end, GOMP_critical_name_start and _end. */
#include <stdio.h>

static long a, b, c;

int main(void)
{
#pragma omp parallel
#pragma omp for
	for (int i = 0; i < 1000; i++) {
#pragma omp critical
		a++;
#pragma omp critical(one)
		{
			b++;
#pragma omp critical(two)
			c += b & 1;
		}
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++)
#pragma omp task
#pragma omp critical(one)
		b++;
	printf("a %ld b %ld c %ld\n", a, b, c);
	printf("tptrace-tasks 100\n");
	return a != 1000 || b != 1100 || c != 500;
}
