/* SPDX-License-Identifier: MIT */
/* thread.c - the stand-in's threads: started, created, joined, ended. */
#include "test/runtime/myth/inside.h"

#include <errno.h>
#include <stdlib.h>

/* The target of a handle: lives from creation until joined, or ended detached. */
struct myth_thread {
	myth_func_t func;
	void *arg, *result;
	struct ult_lock lock;
	struct ult *joiner;
	bool done, detached;
	_Atomic bool cancelled;
};

static struct myth_thread main_thread;
static struct ult_lock starting;

static size_t number_of(const char *name, size_t otherwise)
{
	const char *text = getenv(name);

	return text && atol(text) > 0 ? (size_t)atol(text) : otherwise;
}

#define SETTER(function, attributes, type, field)                                                  \
	ULT_EXPORT int function(attributes *attr, type field)                                      \
	{                                                                                          \
		attr->field = field;                                                               \
		return 0;                                                                          \
	}

ULT_EXPORT int myth_globalattr_init(myth_globalattr_t *attr)
{
	attr->stacksize = number_of("MYTH_DEF_STKSIZE", 131072);
	attr->n_workers = number_of("MYTH_NUM_WORKERS", (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

SETTER(myth_globalattr_set_n_workers, myth_globalattr_t, size_t, n_workers)

ULT_EXPORT int myth_init_ex(myth_globalattr_t *attr)
{
	int err = 0;

	ult_lock_acquire(&starting);
	if (!ult_started())
		err = ult_start((uint32_t)attr->n_workers, attr->stacksize, &main_thread);
	ult_lock_release(&starting);
	return err ? -1 : 0;
}

ULT_EXPORT int myth_init(void)
{
	myth_globalattr_t attr;

	myth_globalattr_init(&attr);
	return myth_init_ex(&attr);
}

static void ensure_started(void)
{
	if (!ult_started())
		myth_init();
}

ULT_EXPORT void myth_fini(void)
{
	if (ult_started())
		ult_stop();
}

ULT_EXPORT int myth_get_num_workers(void)
{
	ensure_started();
	return (int)ult_n_workers();
}

ULT_EXPORT int myth_thread_attr_init(myth_thread_attr_t *attr)
{
	*attr = (myth_thread_attr_t){ .child_first = 1 };
	return 0;
}

ULT_EXPORT myth_thread_t myth_self(void)
{
	ensure_started();
	return ult_arg(ult_self());
}

/* The handle is good for nothing once the joiner knows, or if nobody is to join. */
static void thread_done(struct myth_thread *thread, void *result)
{
	struct ult *joiner;
	bool detached;

	ult_lock_acquire(&thread->lock);
	thread->result = result;
	thread->done = true;
	joiner = thread->joiner;
	detached = thread->detached;
	ult_lock_release(&thread->lock);
	if (detached)
		free(thread);
	if (joiner)
		ult_wake(joiner);
}

static void thread_run(void *arg)
{
	struct myth_thread *thread = arg;

	thread_done(thread, thread->func(thread->arg));
}

ULT_EXPORT void myth_exit(void *ret)
{
	thread_done(myth_self(), ret);
	ult_exit();
}

ULT_EXPORT int myth_create_ex(myth_thread_t *id, myth_thread_attr_t *attr, myth_func_t func,
			      void *arg)
{
	struct myth_thread *thread = calloc(1, sizeof(*thread));
	struct ult *ult = NULL;

	ensure_started();
	if (thread) {
		thread->func = func;
		thread->arg = arg;
		thread->detached = attr && attr->detachstate;
		ult = ult_make(thread_run, thread, attr ? attr->stacksize : 0);
	}
	if (!ult) {
		free(thread);
		return ENOMEM;
	}
	if (!attr || attr->child_first)
		ult_run(ult);
	else
		ult_wake(ult);
	*id = thread;
	return 0;
}

ULT_EXPORT myth_thread_t myth_create(myth_func_t func, void *arg)
{
	myth_thread_t id = NULL;

	if (myth_create_ex(&id, NULL, func, arg) != 0)
		abort();
	return id;
}

ULT_EXPORT int myth_tryjoin(myth_thread_t th, void **result)
{
	bool done;

	ult_lock_acquire(&th->lock);
	done = th->done;
	ult_lock_release(&th->lock);
	if (!done)
		return EBUSY;
	if (result)
		*result = th->result;
	free(th);
	return 0;
}

ULT_EXPORT int myth_join(myth_thread_t th, void **result)
{
	bool done;

	ult_lock_acquire(&th->lock);
	done = th->done;
	th->joiner = ult_self();
	ult_lock_release(&th->lock);
	if (!done)
		ult_park();
	return myth_tryjoin(th, result);
}

ULT_EXPORT int myth_timedjoin(myth_thread_t th, void **result, const struct timespec *abstime)
{
	while (myth_tryjoin(th, result) != 0) {
		if (is_past(abstime))
			return EBUSY;
		ult_yield();
	}
	return 0;
}

ULT_EXPORT int myth_detach(myth_thread_t th)
{
	bool done;

	ult_lock_acquire(&th->lock);
	done = th->done;
	th->detached = true;
	ult_lock_release(&th->lock);
	if (done)
		free(th);
	return 0;
}

ULT_EXPORT int myth_cancel(myth_thread_t th)
{
	atomic_store(&th->cancelled, true);
	return 0;
}

ULT_EXPORT void myth_testcancel(void)
{
	if (atomic_load(&myth_self()->cancelled))
		myth_exit((void *)-1);
}

/* ---- many at once: a tree of threads that halve what is to do, as in the real library ---- */

struct many {
	myth_thread_t *ids;
	myth_thread_attr_t *attrs;
	char *funcs, *args, *results;
	size_t id_stride, attr_stride, func_stride, arg_stride, result_stride;
};

struct half {
	const struct many *many;
	long from, to;
};

static void *half_run(void *arg)
{
	const struct half *all = arg;
	const struct many *many = all->many;
	long from = all->from, middle = (from + all->to) / 2;
	struct half left = { many, from, middle }, right = { many, middle, all->to };
	myth_thread_attr_t *attr = NULL;
	myth_thread_t id;

	if (all->to - from == 1) {
		myth_func_t *func = (void *)(many->funcs + (size_t)from * many->func_stride);
		void *result;

		if (many->ids)
			*(myth_thread_t *)(void *)((char *)many->ids +
						   (size_t)from * many->id_stride) = myth_self();
		result = (*func)(many->args + (size_t)from * many->arg_stride);
		if (many->results)
			*(void **)(void *)(many->results + (size_t)from * many->result_stride) =
				result;
		return NULL;
	}
	if (many->attrs)
		attr = (void *)((char *)many->attrs + (size_t)from * many->attr_stride);
	if (myth_create_ex(&id, attr, half_run, &left) != 0)
		abort();
	half_run(&right);
	return myth_join(id, NULL) ? arg : NULL;
}

ULT_EXPORT int myth_create_join_various_ex(myth_thread_t *ids, myth_thread_attr_t *attrs,
					   myth_func_t *funcs, void *args, void *results,
					   size_t id_stride, size_t attr_stride, size_t func_stride,
					   size_t arg_stride, size_t result_stride, long nthreads)
{
	struct many many = { ids,	attrs,	     (char *)funcs, args,	results,
			     id_stride, attr_stride, func_stride,   arg_stride, result_stride };
	struct half all = { &many, 0, nthreads };

	ensure_started();
	if (nthreads > 0)
		half_run(&all);
	return 0;
}

ULT_EXPORT int myth_create_join_many_ex(myth_thread_t *ids, myth_thread_attr_t *attrs,
					myth_func_t func, void *args, void *results,
					size_t id_stride, size_t attr_stride, size_t arg_stride,
					size_t result_stride, long nthreads)
{
	return myth_create_join_various_ex(ids, attrs, &func, args, results, id_stride, attr_stride,
					   0, arg_stride, result_stride, nthreads);
}
