/* SPDX-License-Identifier: MIT */
/* 30 short-lived pthreads, 6 at a time, each with parallel regions, tasks and a pool of its own. */
// not-on: libomp
// flags: -pthread
#include <pthread.h>
#include <stdio.h>

static long total;

static void *run(void *arg)
{
	long sum = 0;

	for (int k = 0; k < 2; k++)
#pragma omp parallel num_threads(2)
#pragma omp single
		for (int i = 0; i < 10; i++)
#pragma omp task shared(sum)
#pragma omp atomic
			sum += i;
#pragma omp task shared(sum) /* no team here */
	sum += (long)arg;
#pragma omp atomic
	total += sum;
	return NULL;
}

int main(void)
{
	pthread_t t[6];

	for (int k = 0; k < 5; k++) {
		for (long i = 0; i < 6; i++)
			pthread_create(&t[i], NULL, run, (void *)i);
		for (int i = 0; i < 6; i++)
			pthread_join(t[i], NULL);
	}
	printf("total %ld\n", total);
	printf("tptrace-tasks %d\n", 30 * 21);
	return total != 30 * 90 + 5 * 15;
}
