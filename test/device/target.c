/* SPDX-License-Identifier: MIT */
/* target.c - tasks with target constructs, the work of which is on a device, if there is one. */
#include <stdio.h>

int main(void)
{
	double a[4] = { 1, 2, 3, 4 }, sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int k = 0; k < 4; k++)
#pragma omp task firstprivate(k) shared(a) /* the tasks */
	{
#pragma omp target map(tofrom : a[k]) /* the region */
		for (int i = 0; i < 3000000; i++)
			a[k] = a[k] * 0.999999 + 1e-6;
	}
#pragma omp target data map(tofrom : sum) /* the data */
	{
#pragma omp target teams distribute parallel for reduction(+ : sum) num_teams(1) /* the league */
		for (int i = 0; i < 1000; i++)
			sum += i;
#pragma omp target update from(sum) /* the update */
	}
#pragma omp target map(tofrom : sum) nowait /* the rest */
	sum += 1;
#pragma omp taskwait
	printf("%g %g\n", a[0] + a[1] + a[2] + a[3], sum);
	return 4;
}
