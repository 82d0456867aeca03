// SPDX-License-Identifier: MIT
// Threads that run tasks, made one after the other by main(), which is in no task until it has
// joined the first; then by a task of a thread.  One thread frees where its pthread_t stands.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static long sum;

static void *tasks(void *arg)
{
	for (int i = 0; i < 10; i++)
#pragma omp task
	{
#pragma omp atomic
		sum += i;
	}
	return arg;
}

static int tasks_of_c11(void *arg)
{
	tasks(arg);
	return 7;
}

static void *frees(void *arg)
{
	tasks(NULL);
	free(arg);
	return NULL;
}

static void *makes(void *arg)
{
	pthread_attr_t detached;
	pthread_t *place = malloc(sizeof(*place)), thread;
	void *volatile same = place;
	thrd_t c11;
	int result = 0, error;

	tasks(NULL);
	pthread_create(&thread, NULL, tasks, NULL);
	pthread_join(thread, NULL);
	thrd_create(&c11, tasks_of_c11, NULL);
	thrd_join(c11, &result);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	error = pthread_create(place, &detached, frees, same);
	pthread_attr_setstacksize(&detached, (size_t)1 << 60);
	printf("%d %d %d\n", result, error, pthread_create(&thread, &detached, tasks, NULL));
	return arg;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, i < 3 ? tasks : makes, NULL);
		pthread_join(thread, NULL);
	}
	for (long now = 0; now < 315;)
#pragma omp atomic read
		now = sum;
	printf("%ld\n", sum);
	return 0;
}
