/* SPDX-License-Identifier: MIT */
/* pthread_exit() and pthread_cancel() of threads that have used OpenMP, and of main itself. */
// flags: -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long sum;

static void *ends(void *arg)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 10; i++)
#pragma omp task
#pragma omp atomic
		sum += i;
	if (arg)
		pthread_exit(arg);
	for (;;)
		pause(); /* a cancellation point */
}

static void *last(void *arg)
{
	pthread_t main_thread = *(pthread_t *)arg;

	pthread_join(main_thread, NULL);
	printf("sum %ld\n", sum);
	printf("tptrace-tasks 20\n");
	exit(sum != 90);
}

int main(void)
{
	static pthread_t self;
	pthread_t t;
	void *ret;

	pthread_create(&t, NULL, ends, &self);
	pthread_join(t, &ret);
	printf("exited %d\n", ret == &self);
	pthread_create(&t, NULL, ends, NULL);
	pthread_cancel(t); /* before, in or after its region: it must finish that */
	pthread_join(t, &ret);
	printf("cancelled %d\n", ret == PTHREAD_CANCELED);
	self = pthread_self();
	pthread_create(&t, NULL, last, &self);
	pthread_exit(NULL);
}
