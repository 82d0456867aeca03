/* SPDX-License-Identifier: MIT */
/*
 * myth.h - MassiveThreads' interface, as far as the tests use it, of the stand-in for it.
 *
 * The prototypes and the layout of myth_thread_attr_t are those of the real library; what stands
 * in its other structures is our own.
 */
#pragma once

#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define MYTH_STAND_IN 1 /* what the real library declares but does not have can be used */

#ifdef __cplusplus
extern "C" {
#endif

struct ult;
struct myth_waiter;

typedef struct myth_thread *myth_thread_t;
typedef void *(*myth_func_t)(void *);

typedef struct myth_thread_attr {
	void *stackaddr;
	size_t stacksize;
	size_t guardsize;
	int detachstate;
	int child_first;
	size_t custom_data_size;
	void *custom_data;
} myth_thread_attr_t;

typedef struct {
	size_t stacksize;
	size_t n_workers;
} myth_globalattr_t;

struct myth_waiters {
	unsigned lock;
	struct myth_waiter *first, *last;
};

typedef struct {
	struct myth_waiters waiters;
	int held;
} myth_mutex_t;
typedef struct {
	struct myth_waiters waiters;
} myth_cond_t;
typedef struct {
	struct myth_waiters waiters;
	long n_threads, n_here;
} myth_barrier_t;
typedef struct {
	struct myth_waiters waiters;
	long n_left;
} myth_join_counter_t;
typedef struct {
	myth_mutex_t mutex;
	myth_cond_t cond[2];
	int status;
} myth_felock_t;
typedef struct {
	struct ult *volatile waiter;
} myth_uncond_t;
typedef struct {
	struct myth_waiters waiters;
	int n_readers, written;
} myth_rwlock_t;
typedef struct {
	int state;
} myth_once_t;
typedef int myth_mutexattr_t, myth_condattr_t, myth_barrierattr_t, myth_join_counterattr_t,
	myth_felockattr_t, myth_rwlockattr_t;

#define MYTH_MUTEX_INITIALIZER                                                                     \
	{                                                                                          \
		{ 0, 0, 0 }, 0                                                                     \
	}
#define MYTH_COND_INITIALIZER                                                                      \
	{                                                                                          \
		{                                                                                  \
			0, 0, 0                                                                    \
		}                                                                                  \
	}
#define MYTH_BARRIER_SERIAL_THREAD 1

enum { myth_yield_option_half_half, myth_yield_option_local_only, myth_yield_option_local_first };

int myth_init(void);
int myth_init_ex(myth_globalattr_t *attr);
void myth_fini(void);
int myth_globalattr_init(myth_globalattr_t *attr);
int myth_globalattr_set_n_workers(myth_globalattr_t *attr, size_t n_workers);
int myth_get_num_workers(void);

int myth_thread_attr_init(myth_thread_attr_t *attr);

myth_thread_t myth_create(myth_func_t func, void *arg);
int myth_create_ex(myth_thread_t *id, myth_thread_attr_t *attr, myth_func_t func, void *arg);
int myth_create_join_many_ex(myth_thread_t *ids, myth_thread_attr_t *attrs, myth_func_t func,
			     void *args, void *results, size_t id_stride, size_t attr_stride,
			     size_t arg_stride, size_t result_stride, long nthreads);
int myth_create_join_various_ex(myth_thread_t *ids, myth_thread_attr_t *attrs, myth_func_t *funcs,
				void *args, void *results, size_t id_stride, size_t attr_stride,
				size_t func_stride, size_t arg_stride, size_t result_stride,
				long nthreads);
int myth_join(myth_thread_t th, void **result);
int myth_tryjoin(myth_thread_t th, void **result);
int myth_timedjoin(myth_thread_t th, void **result, const struct timespec *abstime);
int myth_detach(myth_thread_t th);
void myth_exit(void *ret);
myth_thread_t myth_self(void);
void myth_yield(void);
void myth_yield_ex(int yield_opt);
int myth_sched_yield(void);
unsigned int myth_sleep(unsigned int s);
int myth_usleep(useconds_t usec);
int myth_nanosleep(const struct timespec *req, struct timespec *rem);
int myth_cancel(myth_thread_t th);
void myth_testcancel(void);

int myth_mutex_init(myth_mutex_t *mutex, const myth_mutexattr_t *attr);
int myth_mutex_lock(myth_mutex_t *mtx);
int myth_mutex_trylock(myth_mutex_t *mtx);
int myth_mutex_timedlock(myth_mutex_t *mtx, const struct timespec *abstime);
int myth_mutex_unlock(myth_mutex_t *mtx);

int myth_cond_init(myth_cond_t *cond, const myth_condattr_t *attr);
int myth_cond_wait(myth_cond_t *cond, myth_mutex_t *mutex);
int myth_cond_signal(myth_cond_t *c);
int myth_cond_broadcast(myth_cond_t *cond);

int myth_barrier_init(myth_barrier_t *barrier, const myth_barrierattr_t *attr, long nthreads);
int myth_barrier_wait(myth_barrier_t *barrier);

int myth_join_counter_init(myth_join_counter_t *jc, const myth_join_counterattr_t *attr, int val);
int myth_join_counter_wait(myth_join_counter_t *jc);
int myth_join_counter_dec(myth_join_counter_t *jc);

int myth_felock_init(myth_felock_t *fe, const myth_felockattr_t *attr);
int myth_felock_lock(myth_felock_t *fe);
int myth_felock_unlock(myth_felock_t *fe);
int myth_felock_wait_and_lock(myth_felock_t *fe, int status_to_wait);
int myth_felock_mark_and_signal(myth_felock_t *fe, int status_to_signal);
int myth_felock_status(myth_felock_t *fe);

int myth_uncond_init(myth_uncond_t *uncond);
int myth_uncond_wait(myth_uncond_t *uncond);
int myth_uncond_signal(myth_uncond_t *uncond);

int myth_rwlock_rdlock(myth_rwlock_t *rwlock);
int myth_rwlock_wrlock(myth_rwlock_t *rwlock);
int myth_rwlock_unlock(myth_rwlock_t *rwlock);

int myth_once(myth_once_t *once_control, void (*init_routine)(void));

#ifdef __cplusplus
}
#endif
