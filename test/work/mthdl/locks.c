/* SPDX-License-Identifier: MIT */
/* locks.c - pthread mutexes, conditions, barriers, once and sleeping. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define N 10
#define ROUNDS 20

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long counter, turn, n_inits, n_serial;

static void init(void)
{
	usleep(200);
	n_inits++;
}

static void *works(void *arg)
{
	long wrong = 0;

	pthread_once(&once, init);
	wrong += n_inits != 1;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		long seen = counter;

		if (i % 5 == 0)
			usleep(10);
		counter = seen + 1;
		pthread_mutex_unlock(&mutex);
		if (pthread_barrier_wait(&barrier) != 0)
			__sync_fetch_and_add(&n_serial, 1);
		wrong += counter < (i + 1) * N;
		pthread_barrier_wait(&barrier);
	}
	pthread_mutex_lock(&mutex);
	while (turn != (long)arg)
		pthread_cond_wait(&cond, &mutex);
	turn++;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	return (void *)wrong;
}

int main(void)
{
	pthread_t thread[N];
	long wrong = 0;

	pthread_mutex_init(&mutex, NULL);
	pthread_cond_init(&cond, NULL);
	pthread_barrier_init(&barrier, NULL, N);
	for (long i = 0; i < N; i++)
		pthread_create(&thread[i], NULL, works, (void *)i);
	for (long i = 0; i < N; i++) {
		void *result;

		pthread_join(thread[i], &result);
		wrong += (long)result;
	}
	printf("%ld wrong, counter %ld, turn %ld, serial %ld, init %ld\ntptrace-tasks %d\n", wrong,
	       counter, turn, n_serial, n_inits, N);
	return 0;
}
