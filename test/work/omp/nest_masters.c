/* SPDX-License-Identifier: MIT */
/* Four plain threads and the first one, each the master of nested regions of its own at once.  They
 * stay to the end: libomp 14 crashes by itself where masters of nested teams end. */
// flags: -pthread
#include "../counted.h"

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

static atomic_int n_done;

static void *run(void *arg)
{
	int seed = (int)(long)arg;

	for (int k = 0; k < 20; k++) {
#pragma omp parallel num_threads(2 + (seed + k) % 2)
		{
			MEMBER();
#pragma omp single nowait
			for (int i = 0; i < 5; i++)
#pragma omp task
			{
				TASK();
				counted_pair();
			}
#pragma omp parallel num_threads(1 + (seed + k) % 3)
			{
				MEMBER();
#pragma omp task
				TASK();
			}
		}
	}
	n_done++;
	while (seed) /* but for the first one */
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;

	counted_begin(3);
	for (long i = 1; i <= 4; i++)
		pthread_create(&thread, NULL, run, (void *)i);
	run(NULL);
	while (n_done < 5)
		usleep(100);
	counted_print();
	return 0;
}
