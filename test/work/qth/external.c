/* external.c - threads of the program's own that create tasks and wait for words */
#include <pthread.h>
#include <qthread/qthread.h>
#include <stdio.h>

#define THREADS 3
#define ROUNDS 20

static aligned_t word[THREADS], done[THREADS], sum;

static aligned_t add(void *arg)
{
	qthread_incr(&sum, (uintptr_t)arg);
	return (uintptr_t)arg;
}

static void *outside(void *arg)
{
	uintptr_t me = (uintptr_t)arg;
	aligned_t value;

	for (uintptr_t i = 0; i < ROUNDS; i++) {
		aligned_t ret;

		qthread_fork(add, (void *)i, &ret);
		qthread_readFF(&value, &ret);
		qthread_writeEF_const(&word[me], value);
	}
	qthread_empty(&word[me]);
	qthread_fill(&word[me]);
	qthread_writeEF_const(&done[me], me);
	return NULL;
}

static aligned_t inside(void *arg)
{
	aligned_t value, all = 0;

	for (int i = 0; i < ROUNDS; i++) {
		qthread_readFE(&value, arg);
		all += value;
	}
	return all;
}

int main(void)
{
	pthread_t thread[THREADS];
	aligned_t ret[THREADS];

	qthread_initialize();
	for (uintptr_t i = 0; i < THREADS; i++) {
		qthread_empty(&word[i]);
		qthread_empty(&done[i]);
		qthread_fork(inside, &word[i], &ret[i]);
	}
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, outside, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		qthread_readFF(NULL, &ret[i]);
		printf("%lu\n", (unsigned long)ret[i]);
	}
	for (int i = 0; i < THREADS;
	     i++) /* this thread must not sleep: their helpers may be on it */
		qthread_readFF(NULL, &done[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%lu\n", (unsigned long)sum);
	printf("tptrace-edges join=%d\n", THREADS * (ROUNDS + 1));
	printf("tptrace-tasks %d\n", THREADS * (ROUNDS + 1));
	return 0;
}
