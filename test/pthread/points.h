/* SPDX-License-Identifier: MIT */
/* points.h - what the points of the corpus share: one printed line each, and a thread that is in
 * the way. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SHORT_NS 20000000L /* that a lock is held */

/* The call's result, and errno, which most calls leave at 77. */
#define SAY(call)                                                                                  \
	do {                                                                                       \
		errno = 77;                                                                        \
		int said_ = (call);                                                                \
		printf("%s: %d, errno %d\n", #call, said_, errno);                                 \
	} while (0)

static inline void pause_ns(long ns)
{
	struct timespec length = { ns / 1000000000, ns % 1000000000 };

	while (nanosleep(&length, &length) < 0 && errno == EINTR)
		;
}

static inline struct timespec from_now(clockid_t clock, long ns)
{
	struct timespec at;

	clock_gettime(clock, &at);
	at.tv_nsec += ns % 1000000000;
	at.tv_sec += ns / 1000000000 + at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

/*
 * Another thread, which runs no task: does `take`, lets this one go on, waits until told or, if
 * `hold_ns` is not 0, that long, and does `give`.
 */
struct other {
	pthread_t thread;
	int (*take)(void *), (*give)(void *);
	void *lock;
	long hold_ns;
	volatile int taken, leave;
};

static inline void *other_run(void *arg)
{
	struct other *other = arg;

	if (other->take)
		other->take(other->lock);
	__atomic_store_n(&other->taken, 1, __ATOMIC_SEQ_CST);
	while (!other->hold_ns && !__atomic_load_n(&other->leave, __ATOMIC_SEQ_CST))
		pause_ns(1000000);
	pause_ns(other->hold_ns);
	if (other->give)
		other->give(other->lock);
	return other;
}

static inline void other_begin(struct other *other, int (*take)(void *), int (*give)(void *),
			       void *lock, long hold_ns)
{
	*other = (struct other){ .take = take, .give = give, .lock = lock, .hold_ns = hold_ns };
	pthread_create(&other->thread, NULL, other_run, other);
	while (!__atomic_load_n(&other->taken, __ATOMIC_SEQ_CST))
		pause_ns(1000000);
}

static inline void other_end(struct other *other)
{
	__atomic_store_n(&other->leave, 1, __ATOMIC_SEQ_CST);
	pthread_join(other->thread, NULL);
}
