// SPDX-License-Identifier: MIT
/*
 * locks.c - what mutexes, read-write locks, C11's mutexes, and forks beside them, do in a task: one
 * line a point.  Another thread holds a lock where one is to wait.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "points.h"

static int mutex_take(void *lock)
{
	return pthread_mutex_lock(lock);
}

static int mutex_give(void *lock)
{
	return pthread_mutex_unlock(lock);
}

static int write_take(void *lock)
{
	return pthread_rwlock_wrlock(lock);
}

static int read_take(void *lock)
{
	return pthread_rwlock_rdlock(lock);
}

static int lock_give(void *lock)
{
	return pthread_rwlock_unlock(lock);
}

static const struct timespec invalid = { 1, 1000000000 }, negative = { 1, -1 };

/* ---- mutexes ---- */

static void of_type(const char *name, pthread_mutex_t *mutex)
{
	struct timespec until;
	struct other other;

	printf("-- %s\n", name);
	SAY(pthread_mutex_lock(mutex));
	SAY(pthread_mutex_unlock(mutex));
	SAY(pthread_mutex_timedlock(mutex, &invalid)); /* it is free */
	SAY(pthread_mutex_unlock(mutex));
	SAY(pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &invalid));
	other_begin(&other, mutex_take, mutex_give, mutex, SHORT_NS);
	SAY(pthread_mutex_lock(mutex));
	SAY(pthread_mutex_unlock(mutex));
	other_end(&other);
	other_begin(&other, mutex_take, mutex_give, mutex, 0);
	SAY(pthread_mutex_trylock(mutex));
	SAY(pthread_mutex_timedlock(mutex, &invalid));
	SAY(pthread_mutex_timedlock(mutex, &negative));
	until = from_now(CLOCK_REALTIME, SHORT_NS);
	SAY(pthread_mutex_timedlock(mutex, &until));
	until = from_now(CLOCK_MONOTONIC, SHORT_NS);
	SAY(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until));
	SAY(pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &until));
	other_end(&other);
	other_begin(&other, mutex_take, mutex_give, mutex, SHORT_NS);
	until = from_now(CLOCK_MONOTONIC, 1000 * SHORT_NS);
	SAY(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until));
	SAY(pthread_mutex_unlock(mutex));
	other_end(&other);
}

static void again(pthread_mutex_t *mutex)
{
	struct timespec until = from_now(CLOCK_REALTIME, SHORT_NS);

	SAY(pthread_mutex_lock(mutex));
	SAY(pthread_mutex_timedlock(mutex, &until));
	SAY(pthread_mutex_unlock(mutex));
	SAY(pthread_mutex_unlock(mutex));
	SAY(pthread_mutex_unlock(mutex));
}

static void types(void)
{
	static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t checks = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	const int protocol[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT, PTHREAD_PRIO_PROTECT };
	const int type[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
			     PTHREAD_MUTEX_ERRORCHECK };
	char name[64];

	of_type("plain", &plain);
	of_type("recursive", &recursive);
	again(&recursive);
	of_type("errorcheck", &checks);
	again(&checks);
	of_type("adaptive", &adaptive);
	for (int p = 0; p < 3; p++)
		for (int t = 0; t < 3; t++)
			for (int robust = 0; robust < 2; robust++) {
				pthread_mutexattr_t attr;
				pthread_mutex_t mutex;

				pthread_mutexattr_init(&attr);
				pthread_mutexattr_settype(&attr, type[t]);
				pthread_mutexattr_setprotocol(&attr, protocol[p]);
				pthread_mutexattr_setrobust(&attr, robust ? PTHREAD_MUTEX_ROBUST
									  : PTHREAD_MUTEX_STALLED);
				if (pthread_mutex_init(&mutex, &attr))
					continue;
				snprintf(name, sizeof(name), "protocol %d type %d robust %d", p, t,
					 robust);
				of_type(name, &mutex);
				if (t)
					again(&mutex);
				pthread_mutex_destroy(&mutex);
			}
}

/* Its holder ends without a word, before or while this thread waits. */
static void robust(int inherits, long hold_ns)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;
	struct other other;

	printf("-- robust, inherits %d, for %ld\n", inherits, hold_ns);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attr, inherits ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
	pthread_mutex_init(&mutex, &attr);
	other_begin(&other, mutex_take, NULL, &mutex, hold_ns);
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_consistent(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	other_end(&other);
	other_begin(&other, mutex_take, NULL, &mutex, hold_ns);
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_trylock(&mutex));
	other_end(&other);
}

/* Another process holds it, and then ends with it. */
static void shared(void)
{
	struct shared {
		pthread_mutex_t mutex;
		sem_t taken;
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	pthread_mutexattr_t attr;
	pid_t child;

	printf("-- of two processes\n");
	fflush(stdout);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->mutex, &attr);
	sem_init(&shared->taken, 1, 0);
	for (int gives = 1; gives >= 0; gives--) {
		child = fork();
		if (!child) {
			pthread_mutex_lock(&shared->mutex);
			sem_post(&shared->taken);
			pause_ns(SHORT_NS);
			if (gives)
				pthread_mutex_unlock(&shared->mutex);
			_exit(0);
		}
		SAY(sem_wait(&shared->taken));
		SAY(pthread_mutex_lock(&shared->mutex));
		SAY(pthread_mutex_consistent(&shared->mutex));
		SAY(pthread_mutex_unlock(&shared->mutex));
		waitpid(child, NULL, 0);
	}
}

/* A child of a process whose other thread holds the lock. */
static void forked(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	struct other other;
	pid_t child;

	printf("-- forked\n");
	fflush(stdout);
	other_begin(&other, mutex_take, mutex_give, &mutex, 0);
	pthread_mutex_lock(&own);
	child = fork();
	if (!child) {
		struct timespec until = from_now(CLOCK_REALTIME, SHORT_NS);

		SAY(pthread_mutex_trylock(&mutex));
		SAY(pthread_mutex_timedlock(&mutex, &until));
		SAY(pthread_mutex_unlock(&own));
		SAY(pthread_mutex_lock(&own));
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	pthread_mutex_unlock(&own);
	other_end(&other);
}

/* ---- read-write locks ---- */

static void timed_fail(pthread_rwlock_t *lock)
{
	struct timespec until = from_now(CLOCK_REALTIME, SHORT_NS);

	SAY(pthread_rwlock_timedrdlock(lock, &until));
	SAY(pthread_rwlock_timedwrlock(lock, &until));
	until = from_now(CLOCK_MONOTONIC, SHORT_NS);
	SAY(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &until));
	SAY(pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &until));
	SAY(pthread_rwlock_clockwrlock(lock, CLOCK_PROCESS_CPUTIME_ID, &until));
	SAY(pthread_rwlock_timedrdlock(lock, &invalid));
	SAY(pthread_rwlock_timedwrlock(lock, &negative));
}

static void of_kind(const char *name, pthread_rwlock_t *lock)
{
	struct other other;

	printf("-- rwlock %s\n", name);
	SAY(pthread_rwlock_timedrdlock(lock, &invalid)); /* it is free */
	SAY(pthread_rwlock_rdlock(lock));
	SAY(pthread_rwlock_rdlock(lock));
	SAY(pthread_rwlock_unlock(lock));
	SAY(pthread_rwlock_unlock(lock));
	SAY(pthread_rwlock_wrlock(lock));
	SAY(pthread_rwlock_wrlock(lock));
	SAY(pthread_rwlock_rdlock(lock));
	SAY(pthread_rwlock_unlock(lock));
	other_begin(&other, write_take, lock_give, lock, SHORT_NS);
	SAY(pthread_rwlock_rdlock(lock));
	SAY(pthread_rwlock_unlock(lock));
	other_end(&other);
	other_begin(&other, read_take, lock_give, lock, SHORT_NS);
	SAY(pthread_rwlock_wrlock(lock));
	SAY(pthread_rwlock_unlock(lock));
	other_end(&other);
	other_begin(&other, write_take, lock_give, lock, 0);
	timed_fail(lock);
	other_end(&other);
}

static void kinds(void)
{
	static pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
	static pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

	of_kind("plain", &plain);
	of_kind("writers first", &writers);
}

/* ---- C11 ---- */

static int mtx_take(void *lock)
{
	return mtx_lock(lock);
}

static int mtx_give(void *lock)
{
	return mtx_unlock(lock);
}

static void c11(void)
{
	const int type[] = { mtx_plain, mtx_timed, mtx_plain | mtx_recursive };
	struct timespec until;
	struct other other;
	mtx_t mutex;

	for (int t = 0; t < 3; t++) {
		printf("-- mtx %d\n", type[t]);
		mtx_init(&mutex, type[t]);
		SAY(mtx_lock(&mutex));
		SAY(mtx_unlock(&mutex));
		other_begin(&other, mtx_take, mtx_give, &mutex, SHORT_NS);
		SAY(mtx_lock(&mutex));
		SAY(mtx_unlock(&mutex));
		other_end(&other);
		other_begin(&other, mtx_take, mtx_give, &mutex, 0);
		until = from_now(CLOCK_REALTIME, SHORT_NS);
		SAY(mtx_timedlock(&mutex, &until));
		SAY(mtx_timedlock(&mutex, &invalid));
		SAY(mtx_trylock(&mutex));
		other_end(&other);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
#pragma omp parallel num_threads(1)
#pragma omp task
	{
		types();
		robust(0, SHORT_NS);
		robust(1, SHORT_NS);
		kinds();
		c11();
		shared();
		forked();
	}
	return 0;
}
