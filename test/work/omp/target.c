/* SPDX-License-Identifier: MIT */
/* target on the host: GOMP_target_ext, GOMP_target_data_ext, GOMP_target_update_ext,
 * GOMP_target_enter_exit_data, GOMP_teams4 (gcc 12) or GOMP_teams, a region and tasks inside. */
// not-on: clang gcc-on-libomp
// flags: -foffload=disable
// env: OMP_TARGET_OFFLOAD=DISABLED
#include <omp.h>
#include <stdio.h>

int main(void)
{
	int a[100], host = 0;
	long sum = 0, n_tasks = 0;

#pragma omp target data map(from : a)
	{
#pragma omp target map(from : a) map(tofrom : host)
		{
			host = omp_is_initial_device();
			for (int i = 0; i < 100; i++)
				a[i] = i;
		}
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += a[i];
#pragma omp target update from(a)
	}
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
#pragma omp target map(tofrom : n_tasks)
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 20; i++)
#pragma omp task shared(n_tasks)
#pragma omp atomic
		n_tasks++;
	printf("host %d sum %ld tasks %ld\n", host, sum, n_tasks);
	printf("tptrace-tasks 23\n");
	return !host || sum != 4950 || n_tasks != 20;
}
