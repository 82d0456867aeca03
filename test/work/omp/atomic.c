/* SPDX-License-Identifier: MIT */
/* atomic of types that the hardware has no instruction for: GOMP_atomic_start, GOMP_atomic_end. */
#include <stdio.h>

int main(void)
{
	long double x = 0;
	double d = 0;
	int n = 0, read = 0;

#pragma omp parallel for
	for (int i = 0; i < 1000; i++) {
		int seen;

#pragma omp atomic
		x += i;
#pragma omp atomic
		d += i;
#pragma omp atomic capture
		seen = n++;
#pragma omp atomic
		read += seen;
	}
	printf("x %.0Lf d %.0f n %d read %d\n", x, d, n, read);
	printf("tptrace-tasks 0\n");
	return x != 499500 || read != 499500;
}
