// SPDX-License-Identifier: MIT
// A task and two threads share what locks protect: no checker of races has anything to say.
#include "points.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static long n, turn, pages, places, seen;

static void share(long who)
{
	for (int i = 0; i < 300; i++) {
		pthread_mutex_lock(&mutex);
		n++;
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_wrlock(&rwlock);
		pages++;
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_rdlock(&rwlock);
		long now = pages;
		pthread_rwlock_unlock(&rwlock);
		sem_wait(&sem);
		places++;
		seen |= now > 900;
		sem_post(&sem);
		if (i % 10)
			continue;
		pthread_mutex_lock(&mutex);
		while (turn % 3 != who)
			pthread_cond_wait(&cond, &mutex);
		turn++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
}

static void *run(void *who)
{
	share((long)who);
	return NULL;
}

int main(void)
{
	pthread_t thread[2];

	sem_init(&sem, 0, 1);
#pragma omp parallel num_threads(1)
#pragma omp task
	{
		for (long i = 0; i < 2; i++)
			pthread_create(&thread[i], NULL, run, (void *)(i + 1));
		share(0);
		for (long i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
		printf("%ld %ld %ld %ld %ld\n", n, turn, pages, places, seen);
	}
	return 0;
}
