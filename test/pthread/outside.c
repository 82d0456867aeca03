// SPDX-License-Identifier: MIT
// Threads that run no task contend for everything, while tasks run, and in libgomp's pool after
// them.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define TEAM num_threads(3)
#include "../lib/omp_tasks.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static long n, sum;

static void *run(void *arg)
{
	for (int i = 0; i < 3000; i++) {
		sem_wait(&sem);
		pthread_mutex_lock(&mutex);
		n++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
		sem_post(&sem);
	}
	return arg;
}

static void *wait_all(void *arg)
{
	pthread_mutex_lock(&mutex);
	while (n < 12000)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

/* Its tasks are main()'s; main() itself waits for nobody until they are over. */
static void *tasks(void *arg)
{
	sum = sum_in_tasks(500);
	return arg;
}

int main(void)
{
	pthread_t thread[6];

	sem_init(&sem, 0, 2);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	pthread_create(&thread[4], NULL, wait_all, NULL);
	pthread_create(&thread[5], NULL, tasks, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(thread[i], NULL);
	printf("%ld %ld\n", n, sum);
	return 0;
}
