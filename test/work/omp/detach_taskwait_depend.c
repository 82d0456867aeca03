/* SPDX-License-Identifier: MIT */
/*
 * Detachable tasks that run while a task waits for dependences: in taskwait depend(..), and in the
 * creation of an undeferred task.  libgomp forgets their events, and what depends on them goes on
 * when their code ends.  A libgomp that waits for the event gets it from a thread, after a while.
 */
// needs: gcc11
// not-on: libomp
// flags: -pthread
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 4

static omp_event_handle_t event;
static int begun, done;

static void *fulfil(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < i)
			usleep(100);
		for (int k = 0; k < 100 && __atomic_load_n(&done, __ATOMIC_ACQUIRE) < i; k++)
			usleep(1000);
		if (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < i)
			omp_fulfill_event(event);
	}
	return NULL;
}

/* A task whose event is fulfilled late, and one that depends on it. */
#define PAIR                                                                                       \
	do {                                                                                       \
		omp_event_handle_t e;                                                              \
		_Pragma("omp task detach(e) depend(out : a) shared(a)")                            \
		{                                                                                  \
			a++;                                                                       \
			event = e;                                                                 \
			__atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);                           \
		}                                                                                  \
		_Pragma("omp task depend(inout : a) shared(a)")                                    \
		{                                                                                  \
			a *= 2;                                                                    \
			__atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);                            \
		}                                                                                  \
	} while (0)

int main(void)
{
	pthread_t thread;
	int a = 0;

	pthread_create(&thread, NULL, fulfil, NULL);
#pragma omp parallel num_threads(1)
#pragma omp single
	for (int i = 0; i < ROUNDS; i += 2) {
		PAIR;
#pragma omp taskwait depend(in : a)
		PAIR;
#pragma omp task depend(inout : a) shared(a) if (0)
		a += 100;
	}
	pthread_join(thread, NULL);
	printf("a %d\n", a);
	printf("tptrace-tasks %d\n", ROUNDS * 2 + ROUNDS / 2);
	return 0;
}
