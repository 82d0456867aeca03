/* SPDX-License-Identifier: MIT */
/* sync.c - the stand-in's locks, conditions, counters: lists of parked threads. */
#include "test/runtime/myth/inside.h"

#include <errno.h>
#include <limits.h>

/* On the stack of who waits. */
struct myth_waiter {
	struct ult *ult;
	struct myth_waiter *next;
};

_Static_assert(sizeof(struct ult_lock) == sizeof(unsigned), "lock");

static void waiters_lock(struct myth_waiters *waiters)
{
	ult_lock_acquire((struct ult_lock *)&waiters->lock);
}

static void waiters_unlock(struct myth_waiters *waiters)
{
	ult_lock_release((struct ult_lock *)&waiters->lock);
}

static void waiters_add(struct myth_waiters *waiters, struct myth_waiter *waiter)
{
	*waiter = (struct myth_waiter){ .ult = ult_self() };
	if (waiters->first)
		waiters->last->next = waiter;
	else
		waiters->first = waiter;
	waiters->last = waiter;
}

/* Unlocks; who has to wait is put down for that before, and goes on once it is woken. */
static void waiters_leave(struct myth_waiters *waiters, bool waits)
{
	struct myth_waiter waiter;

	if (waits)
		waiters_add(waiters, &waiter);
	waiters_unlock(waiters);
	if (waits)
		ult_park();
}

/* Once its lock is released the waiter may be gone: so what it held is copied. */
static struct ult *waiters_next(struct myth_waiters *waiters)
{
	struct myth_waiter *waiter = waiters->first;

	if (!waiter)
		return NULL;
	waiters->first = waiter->next;
	return waiter->ult;
}

/* Wakes up to n of them. */
static void waiters_wake(struct myth_waiters *waiters, long n)
{
	for (; n > 0; n--) {
		struct ult *ult;

		waiters_lock(waiters);
		ult = waiters_next(waiters);
		waiters_unlock(waiters);
		if (!ult)
			return;
		ult_wake(ult);
	}
}

/* ---- mutex: handed to the first who waits ---- */

ULT_EXPORT int myth_mutex_init(myth_mutex_t *mutex, const myth_mutexattr_t *attr)
{
	*mutex = (myth_mutex_t)MYTH_MUTEX_INITIALIZER;
	return 0;
}

ULT_EXPORT int myth_mutex_trylock(myth_mutex_t *mtx)
{
	int held;

	waiters_lock(&mtx->waiters);
	held = mtx->held;
	mtx->held = 1;
	waiters_unlock(&mtx->waiters);
	return held ? EBUSY : 0;
}

ULT_EXPORT int myth_mutex_lock(myth_mutex_t *mtx)
{
	int held;

	waiters_lock(&mtx->waiters);
	held = mtx->held;
	mtx->held = 1;
	waiters_leave(&mtx->waiters, held);
	return 0;
}

ULT_EXPORT int myth_mutex_timedlock(myth_mutex_t *mtx, const struct timespec *abstime)
{
	while (myth_mutex_trylock(mtx) != 0) {
		if (is_past(abstime))
			return ETIMEDOUT;
		ult_yield();
	}
	return 0;
}

ULT_EXPORT int myth_mutex_unlock(myth_mutex_t *mtx)
{
	struct ult *next;

	waiters_lock(&mtx->waiters);
	next = waiters_next(&mtx->waiters);
	if (!next)
		mtx->held = 0;
	waiters_unlock(&mtx->waiters);
	if (next)
		ult_wake(next);
	return 0;
}

/* ---- condition ---- */

ULT_EXPORT int myth_cond_init(myth_cond_t *cond, const myth_condattr_t *attr)
{
	*cond = (myth_cond_t)MYTH_COND_INITIALIZER;
	return 0;
}

/* The calls of its own public functions can be interposed, as in the real library. */
ULT_EXPORT int myth_cond_wait(myth_cond_t *cond, myth_mutex_t *mutex)
{
	struct myth_waiter waiter;

	waiters_lock(&cond->waiters);
	waiters_add(&cond->waiters, &waiter);
	waiters_unlock(&cond->waiters);
	myth_mutex_unlock(mutex);
	ult_park();
	return myth_mutex_lock(mutex);
}

ULT_EXPORT int myth_cond_signal(myth_cond_t *c)
{
	waiters_wake(&c->waiters, 1);
	return 0;
}

ULT_EXPORT int myth_cond_broadcast(myth_cond_t *cond)
{
	struct myth_waiters all;

	waiters_lock(&cond->waiters);
	all = cond->waiters;
	cond->waiters.first = NULL;
	waiters_unlock(&cond->waiters);
	all.lock = 0;
	waiters_wake(&all, LONG_MAX);
	return 0;
}

/* ---- barrier ---- */

ULT_EXPORT int myth_barrier_init(myth_barrier_t *barrier, const myth_barrierattr_t *attr,
				 long nthreads)
{
	*barrier = (myth_barrier_t){ .n_threads = nthreads };
	return 0;
}

ULT_EXPORT int myth_barrier_wait(myth_barrier_t *barrier)
{
	struct myth_waiters all = { 0 };
	struct myth_waiter waiter;
	bool last;

	waiters_lock(&barrier->waiters);
	last = ++barrier->n_here == barrier->n_threads;
	if (last) {
		all = barrier->waiters;
		barrier->waiters.first = NULL;
		barrier->n_here = 0;
	} else {
		waiters_add(&barrier->waiters, &waiter);
	}
	waiters_unlock(&barrier->waiters);
	all.lock = 0;
	if (last)
		waiters_wake(&all, LONG_MAX);
	else
		ult_park();
	return last ? MYTH_BARRIER_SERIAL_THREAD : 0;
}

/* ---- join counter ---- */

ULT_EXPORT int myth_join_counter_init(myth_join_counter_t *jc, const myth_join_counterattr_t *attr,
				      int val)
{
	*jc = (myth_join_counter_t){ .n_left = val };
	return 0;
}

ULT_EXPORT int myth_join_counter_wait(myth_join_counter_t *jc)
{
	bool waits;

	waiters_lock(&jc->waiters);
	waits = jc->n_left > 0;
	waiters_leave(&jc->waiters, waits);
	return 0;
}

/* Who was told may free the counter: so all that is to be known is taken out of it at once. */
ULT_EXPORT int myth_join_counter_dec(myth_join_counter_t *jc)
{
	struct myth_waiters all = { 0 };

	waiters_lock(&jc->waiters);
	if (--jc->n_left == 0)
		all = jc->waiters;
	waiters_unlock(&jc->waiters);
	all.lock = 0;
	waiters_wake(&all, LONG_MAX);
	return 0;
}

/* ---- full/empty lock ---- */

ULT_EXPORT int myth_felock_init(myth_felock_t *fe, const myth_felockattr_t *attr)
{
	*fe = (myth_felock_t){ 0 };
	return 0;
}

ULT_EXPORT int myth_felock_lock(myth_felock_t *fe)
{
	return myth_mutex_lock(&fe->mutex);
}

ULT_EXPORT int myth_felock_unlock(myth_felock_t *fe)
{
	return myth_mutex_unlock(&fe->mutex);
}

ULT_EXPORT int myth_felock_wait_and_lock(myth_felock_t *fe, int status_to_wait)
{
	myth_mutex_lock(&fe->mutex);
	while (fe->status != status_to_wait)
		myth_cond_wait(&fe->cond[status_to_wait], &fe->mutex);
	return 0;
}

ULT_EXPORT int myth_felock_mark_and_signal(myth_felock_t *fe, int status_to_signal)
{
	fe->status = status_to_signal;
	myth_cond_signal(&fe->cond[status_to_signal]);
	return myth_mutex_unlock(&fe->mutex);
}

ULT_EXPORT int myth_felock_status(myth_felock_t *fe)
{
	return fe->status;
}

/* ---- one waits, one signals, in either order ---- */

ULT_EXPORT int myth_uncond_init(myth_uncond_t *uncond)
{
	uncond->waiter = NULL;
	return 0;
}

ULT_EXPORT int myth_uncond_wait(myth_uncond_t *uncond)
{
	__atomic_store_n(&uncond->waiter, ult_self(), __ATOMIC_SEQ_CST);
	ult_park();
	return 0;
}

ULT_EXPORT int myth_uncond_signal(myth_uncond_t *uncond)
{
	struct ult *waiter;

	while (!(waiter = __atomic_exchange_n(&uncond->waiter, NULL, __ATOMIC_SEQ_CST)))
		ult_yield();
	ult_wake(waiter);
	return 0;
}

/* ---- readers and writers ---- */

static int rwlock_take(myth_rwlock_t *rwlock, bool write)
{
	for (bool taken = false; !taken; taken ? (void)0 : ult_yield()) {
		waiters_lock(&rwlock->waiters);
		taken = !rwlock->written && !(write && rwlock->n_readers);
		if (taken && write)
			rwlock->written = 1;
		else if (taken)
			rwlock->n_readers++;
		waiters_unlock(&rwlock->waiters);
	}
	return 0;
}

ULT_EXPORT int myth_rwlock_rdlock(myth_rwlock_t *rwlock)
{
	return rwlock_take(rwlock, false);
}

ULT_EXPORT int myth_rwlock_wrlock(myth_rwlock_t *rwlock)
{
	return rwlock_take(rwlock, true);
}

ULT_EXPORT int myth_rwlock_unlock(myth_rwlock_t *rwlock)
{
	waiters_lock(&rwlock->waiters);
	if (rwlock->written)
		rwlock->written = 0;
	else
		rwlock->n_readers--;
	waiters_unlock(&rwlock->waiters);
	return 0;
}

/* ---- once, yield, sleep ---- */

ULT_EXPORT int myth_once(myth_once_t *once_control, void (*init_routine)(void))
{
	int fresh = 0;

	if (__atomic_compare_exchange_n(&once_control->state, &fresh, 1, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		init_routine();
		__atomic_store_n(&once_control->state, 2, __ATOMIC_SEQ_CST);
	}
	while (__atomic_load_n(&once_control->state, __ATOMIC_SEQ_CST) != 2)
		myth_yield();
	return 0;
}

ULT_EXPORT void myth_yield_ex(int yield_opt)
{
	ult_yield();
}

ULT_EXPORT void myth_yield(void)
{
	ult_yield();
}

ULT_EXPORT int myth_sched_yield(void)
{
	ult_yield();
	return 0;
}

ULT_EXPORT int myth_nanosleep(const struct timespec *req, struct timespec *rem)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += req->tv_sec + (until.tv_nsec + req->tv_nsec) / 1000000000;
	until.tv_nsec = (until.tv_nsec + req->tv_nsec) % 1000000000;
	while (!is_past(&until))
		ult_yield();
	return 0;
}

ULT_EXPORT int myth_usleep(useconds_t usec)
{
	struct timespec length = { .tv_sec = usec / 1000000,
				   .tv_nsec = (long)(usec % 1000000) * 1000 };

	return myth_nanosleep(&length, NULL);
}

ULT_EXPORT unsigned int myth_sleep(unsigned int s)
{
	struct timespec length = { .tv_sec = s };

	myth_nanosleep(&length, NULL);
	return 0;
}
