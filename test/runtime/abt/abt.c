/* SPDX-License-Identifier: MIT */
/* abt.c - a stand-in for Argobots: ULTs that wait for each other, for eventuals and locks. */
#include "test/runtime/abt/abt.h"

#include <stdlib.h>

#include "test/runtime/ult.h"

struct abt_thread {
	struct ult_lock lock;
	struct ult *ult, *waiter;
	void (*func)(void *);
	void *arg;
	bool is_done, has_handle;
};

/* An eventual; of a mutex, whether it is free. */
struct abt_eventual {
	struct ult_lock lock;
	bool is_set;
	struct waiter {
		struct ult *ult;
		struct waiter *next;
	} *waiters;
	void *value;
};

static struct abt_thread primary;
static int n_xstreams;

static struct abt_thread *self(void)
{
	return ult_self() ? ult_arg(ult_self()) : NULL;
}

/* ---- start and end ---- */

ULT_EXPORT int ABT_init(int argc, char **argv)
{
	const char *most = getenv("ABT_MAX_NUM_XSTREAMS");
	int n = most ? atoi(most) : 1;

	(void)argc;
	(void)argv;
	primary = (struct abt_thread){ .has_handle = true };
	n_xstreams = 1;
	return ult_start(n > 0 ? (uint32_t)n : 1, 32768, &primary) ? ABT_ERR_OTHER : ABT_SUCCESS;
}

ULT_EXPORT int ABT_finalize(void)
{
	ult_stop();
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_create(ABT_sched sched, ABT_xstream *made)
{
	(void)sched;
	n_xstreams++;
	*made = (ABT_xstream)&primary;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_join(ABT_xstream xstream)
{
	(void)xstream;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_free(ABT_xstream *xstream)
{
	*xstream = NULL;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_get_num(int *n)
{
	*n = n_xstreams;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_self(ABT_xstream *xstream)
{
	*xstream = (ABT_xstream)&primary;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_xstream_get_main_pools(ABT_xstream xstream, int n, ABT_pool *pools)
{
	(void)xstream;
	for (int i = 0; i < n; i++)
		pools[i] = (ABT_pool)&primary;
	return ABT_SUCCESS;
}

/* ---- threads ---- */

/* The thread is over once this is back, and its waiter may free it. */
static void end(struct abt_thread *thread)
{
	struct ult *waiter;
	bool has_handle = thread->has_handle;

	ult_lock_acquire(&thread->lock);
	thread->is_done = true;
	waiter = thread->waiter;
	ult_lock_release(&thread->lock);
	if (waiter)
		ult_wake(waiter);
	if (!has_handle)
		free(thread);
}

static void run(void *arg)
{
	struct abt_thread *thread = arg;

	thread->func(thread->arg);
	end(thread);
}

static int start(struct abt_thread *thread, void (*func)(void *), void *arg, bool at_once)
{
	struct ult *ult;

	thread->func = func;
	thread->arg = arg;
	thread->is_done = false;
	thread->waiter = NULL;
	ult = thread->ult = ult_make(run, thread, 0);
	if (!ult)
		return ABT_ERR_OTHER;
	if (at_once)
		ult_run(ult);
	else
		ult_wake(ult);
	return ABT_SUCCESS;
}

static int create(void (*func)(void *), void *arg, ABT_thread *made, bool at_once)
{
	struct abt_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return ABT_ERR_OTHER;
	thread->has_handle = made != NULL;
	if (made)
		*made = thread;
	return start(thread, func, arg, at_once);
}

ULT_EXPORT int ABT_thread_create(ABT_pool pool, void (*func)(void *), void *arg,
				 ABT_thread_attr attr, ABT_thread *made)
{
	(void)pool;
	(void)attr;
	return create(func, arg, made, false);
}

ULT_EXPORT int ABT_thread_create_to(ABT_pool pool, void (*func)(void *), void *arg,
				    ABT_thread_attr attr, ABT_thread *made)
{
	(void)pool;
	(void)attr;
	return create(func, arg, made, true);
}

ULT_EXPORT int ABT_thread_create_many(int n, ABT_pool *pools, void (**funcs)(void *), void **args,
				      ABT_thread_attr attr, ABT_thread *made)
{
	(void)pools;
	(void)attr;
	for (int i = 0; i < n; i++)
		create(funcs[i], args ? args[i] : NULL, made ? &made[i] : NULL, false);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_task_create(ABT_pool pool, void (*func)(void *), void *arg, ABT_task *made)
{
	(void)pool;
	return create(func, arg, made, false);
}

ULT_EXPORT int ABT_thread_revive(ABT_pool pool, void (*func)(void *), void *arg, ABT_thread *thread)
{
	(void)pool;
	return start(*thread, func, arg, false);
}

ULT_EXPORT int ABT_thread_join(ABT_thread thread)
{
	bool waits;

	ult_lock_acquire(&thread->lock);
	waits = !thread->is_done && ult_self();
	if (waits)
		thread->waiter = ult_self();
	ult_lock_release(&thread->lock);
	if (waits)
		ult_park();
	while (!waits && !__atomic_load_n(&thread->is_done, __ATOMIC_ACQUIRE))
		ult_yield();
	ult_lock_acquire(&thread->lock); /* who ended it is done with it */
	ult_lock_release(&thread->lock);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_join_many(int n, ABT_thread *threads)
{
	for (int i = 0; i < n; i++)
		ABT_thread_join(threads[i]);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_task_join(ABT_task task)
{
	return ABT_thread_join(task);
}

ULT_EXPORT int ABT_thread_free(ABT_thread *thread)
{
	ABT_thread_join(*thread);
	free(*thread);
	*thread = NULL;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_task_free(ABT_task *task)
{
	int error = ABT_thread_free(task);

	*task = NULL; /* not the last it does: the call comes from here */
	return error;
}

ULT_EXPORT int ABT_thread_free_many(int n, ABT_thread *threads)
{
	for (int i = 0; i < n; i++)
		ABT_thread_free(&threads[i]);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_get_thread_func(ABT_thread thread, void (**func)(void *))
{
	*func = thread->func;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_get_arg(ABT_thread thread, void **arg)
{
	*arg = thread->arg;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_set_arg(ABT_thread thread, void *arg)
{
	thread->arg = arg;
	return ABT_SUCCESS;
}

/* ---- the one that calls ---- */

ULT_EXPORT int ABT_self_is_primary(ABT_bool *is)
{
	*is = self() == &primary;
	return self() ? ABT_SUCCESS : ABT_ERR_INV_XSTREAM;
}

ULT_EXPORT int ABT_self_get_thread(ABT_thread *thread)
{
	*thread = self();
	return *thread ? ABT_SUCCESS : ABT_ERR_INV_XSTREAM;
}

ULT_EXPORT int ABT_self_get_arg(void **arg)
{
	*arg = self()->arg;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_self_yield(void)
{
	ult_yield();
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_yield(void)
{
	return ABT_self_yield();
}

ULT_EXPORT int ABT_self_suspend(void)
{
	ult_park();
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_thread_resume(ABT_thread thread)
{
	ult_wake(thread->ult);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_self_exit(void)
{
	if (self() == &primary)
		return ABT_ERR_OTHER;
	end(self());
	ult_exit();
}

ULT_EXPORT int ABT_thread_exit(void)
{
	return ABT_self_exit();
}

/* ---- eventuals and mutexes ---- */

ULT_EXPORT int ABT_eventual_create(int bytes, ABT_eventual *made)
{
	(void)bytes;
	*made = calloc(1, sizeof(**made));
	return *made ? ABT_SUCCESS : ABT_ERR_OTHER;
}

/* Until it is set; `takes` unsets it. */
static void await(struct abt_eventual *eventual, bool takes)
{
	struct waiter waiter = { .ult = ult_self() };

	for (;;) {
		ult_lock_acquire(&eventual->lock);
		if (eventual->is_set) {
			eventual->is_set = !takes;
			ult_lock_release(&eventual->lock);
			return;
		}
		waiter.next = eventual->waiters;
		eventual->waiters = &waiter;
		ult_lock_release(&eventual->lock);
		ult_park();
	}
}

static void set(struct abt_eventual *eventual)
{
	struct waiter *waiter, *next;

	ult_lock_acquire(&eventual->lock);
	eventual->is_set = true;
	waiter = eventual->waiters;
	eventual->waiters = NULL;
	ult_lock_release(&eventual->lock);
	for (; waiter; waiter = next) {
		next = waiter->next; /* it is on a stack that goes on once woken */
		ult_wake(waiter->ult);
	}
}

ULT_EXPORT int ABT_eventual_set(ABT_eventual eventual, void *value, int bytes)
{
	(void)bytes;
	eventual->value = value;
	set(eventual);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_eventual_wait(ABT_eventual eventual, void **value)
{
	await(eventual, false);
	if (value)
		*value = eventual->value;
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_mutex_create(ABT_mutex *made)
{
	int error = ABT_eventual_create(0, made);

	if (!error)
		(*made)->is_set = true;
	return error;
}

ULT_EXPORT int ABT_mutex_lock(ABT_mutex mutex)
{
	await(mutex, true);
	return ABT_SUCCESS;
}

ULT_EXPORT int ABT_mutex_unlock(ABT_mutex mutex)
{
	set(mutex);
	return ABT_SUCCESS;
}
