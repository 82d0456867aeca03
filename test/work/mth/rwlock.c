/* SPDX-License-Identifier: MIT */
/* rwlock.c - readers and writers, which the real library declares but does not implement. */
#include <stdio.h>
#include "myth/myth.h"

#define N 10

#ifdef MYTH_STAND_IN
static myth_rwlock_t lock;
static long a, b;

static void *works(void *arg)
{
	long wrong = 0;

	for (int i = 0; i < 20; i++) {
		if ((long)arg % 3 == 0) {
			myth_rwlock_wrlock(&lock);
			a++;
			myth_yield();
			b++;
		} else {
			myth_rwlock_rdlock(&lock);
			wrong += a != b;
			myth_yield();
			wrong += a != b;
		}
		myth_rwlock_unlock(&lock);
	}
	return (void *)wrong;
}
#else
static void *works(void *arg)
{
	return (void *)((long)arg * 0);
}
#endif

int main(void)
{
	myth_thread_t thread[N];
	long wrong = 0;

	for (long i = 0; i < N; i++)
		thread[i] = myth_create(works, (void *)i);
	for (long i = 0; i < N; i++) {
		void *result;

		myth_join(thread[i], &result);
		wrong += (long)result;
	}
	printf("%ld wrong\ntptrace-tasks %d\n", wrong, N);
	return 0;
}
