/* SPDX-License-Identifier: MIT */
/* GOMP_barrier, with and without tasks for the waiting threads to run. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n = 0, n_tasks = 0, wrong = 0;

#pragma omp parallel
	for (int i = 1; i <= 20; i++) {
		long seen, tasks_seen;

#pragma omp atomic
		n++;
		if (omp_get_thread_num() == 0)
			for (int k = 0; k < 10; k++)
#pragma omp task shared(n_tasks)
#pragma omp atomic
				n_tasks++;
#pragma omp barrier
#pragma omp atomic read
		seen = n;
#pragma omp atomic read
		tasks_seen = n_tasks;
		if (seen != (long)i * omp_get_num_threads() || tasks_seen != 10 * i)
#pragma omp atomic
			wrong++;
#pragma omp barrier
	}
	printf("tasks %ld wrong %ld\n", n_tasks, wrong);
	printf("tptrace-tasks 200\n");
	return wrong != 0;
}
