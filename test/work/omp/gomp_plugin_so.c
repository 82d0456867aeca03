/* SPDX-License-Identifier: MIT */
/* The plugin of dlopen_plugin.c, two_gomp.c and dlopen_deep.c: one region, 2 n tasks. */
// part-of: dlopen_plugin.c
#include <omp.h>

long plugin_run(int n_threads, int n, int *n_team);

long plugin_run(int n_threads, int n, int *n_team)
{
	long sum = 0, n_done = 0;

	if (n_threads)
		omp_set_num_threads(n_threads);
#pragma omp parallel
#pragma omp single
	{
		*n_team = omp_get_num_threads();
		for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
			sum += i;
#pragma omp task if (0) shared(n_done)
			n_done++;
		}
	}
	return n_done == n ? sum : -1;
}
