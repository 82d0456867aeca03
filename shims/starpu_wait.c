/* SPDX-License-Identifier: MIT */
/* starpu_wait.c - waits for tasks, for tags, and for all of a scheduling context. */
#include "shims/starpu.h"

#include "preload/poison.h"

/* A wrapper that waits for one thing; `wait` ends the strand. */
#define WAITS(result, name, parameters, arguments, wait)                                           \
	CALL_EXPORT result name parameters                                                         \
	{                                                                                          \
		struct call *call = STARPU_CALL(name);                                             \
		struct starpu *s = starpu_of(call);                                                \
		struct worker *worker = starpu_worker(call);                                       \
                                                                                                   \
		if (!worker)                                                                       \
			return s->name arguments;                                                  \
		wait;                                                                              \
		record_id self = worker->task;                                                     \
                                                                                                   \
		starpu_frame.closed = true;                                                        \
		result returned = s->name arguments;                                               \
		starpu_frame.closed = false;                                                       \
		record_resume(worker_self(), self);                                                \
		return returned;                                                                   \
	}

WAITS(int, starpu_task_wait, (void *task), (task),
      record_wait_for(worker, call->site, WIRE_WAIT_NAMED, (uintptr_t)task))
WAITS(int, starpu_tag_wait, (uint64_t tag), (tag),
      record_wait_for(worker, call->site, WIRE_WAIT_NAMED, starpu_tag_name(tag)))
WAITS(int, starpu_task_wait_for_all_in_ctx, (unsigned ctx), (ctx),
      record_wait_for(worker, call->site, WIRE_WAIT_BAG, starpu_bag(s, ctx)))

/* A wait for several things: for the first of them as long as for all, and then for the others. */
#define WAITS_FOR_ALL(result, name, parameters, arguments, n, wait, nth)                           \
	CALL_EXPORT result name parameters                                                         \
	{                                                                                          \
		struct call *call = STARPU_CALL(name);                                             \
		struct starpu *s = starpu_of(call);                                                \
		struct worker *worker = starpu_worker(call);                                       \
		unsigned i = 0;                                                                    \
                                                                                                   \
		if (!worker || (n) == 0)                                                           \
			return s->name arguments;                                                  \
		record_wait_for(worker, call->site, wait, nth);                                    \
		record_id self = worker->task;                                                     \
                                                                                                   \
		starpu_frame.closed = true;                                                        \
		RETURNED_##result s->name arguments;                                               \
		starpu_frame.closed = false;                                                       \
		worker = worker_self();                                                            \
		record_resume(worker, self);                                                       \
		for (i = 1; i < (n); i++) {                                                        \
			record_wait_for(worker, call->site, wait, nth);                            \
			record_resume(worker, self);                                               \
		}                                                                                  \
		GIVE_##result                                                                      \
	}
#define RETURNED_int int returned =
#define RETURNED_void
#define GIVE_int return returned;
#define GIVE_void

WAITS_FOR_ALL(int, starpu_task_wait_array, (void **tasks, unsigned n), (tasks, n), n,
	      WIRE_WAIT_NAMED, (uintptr_t)tasks[i])
WAITS_FOR_ALL(int, starpu_tag_wait_array, (unsigned n, uint64_t *tags), (n, tags), n,
	      WIRE_WAIT_NAMED, starpu_tag_name(tags[i]))

/* Without a context of its own, a thread waits for the tasks of all. */
static uint32_t n_ctxs(struct starpu *s)
{
	return starpu_ctx(s) < s->no_ctx ? 1
					 : atomic_load_explicit(&s->n_ctxs, memory_order_relaxed);
}

static uint64_t bag(struct starpu *s, uint32_t i)
{
	uint32_t ctx = starpu_ctx(s);

	return starpu_bag(s, ctx < s->no_ctx ? ctx : i);
}

WAITS_FOR_ALL(int, starpu_task_wait_for_all, (void), (), n_ctxs(s), WIRE_WAIT_BAG, bag(s, i))
WAITS_FOR_ALL(void, starpu_shutdown, (void), (), n_ctxs(s), WIRE_WAIT_BAG, bag(s, i))

/* A wait until few enough tasks are left: whichever ends last before. */
#define WATCHES(name, parameters, arguments)                                                       \
	CALL_EXPORT int name parameters                                                            \
	{                                                                                          \
		struct call *call = STARPU_CALL(name);                                             \
		struct starpu *s = starpu_of(call);                                                \
		struct worker *worker = starpu_worker(call);                                       \
		int returned;                                                                      \
                                                                                                   \
		if (!worker)                                                                       \
			return s->name arguments;                                                  \
		record_wait_for(worker, call->site, WIRE_WAIT_OBJECT, starpu_any_end(s));          \
		record_id self = worker->task;                                                     \
                                                                                                   \
		starpu_frame.closed = true;                                                        \
		atomic_fetch_add(&s->n_watching, 1);                                               \
		returned = s->name arguments;                                                      \
		atomic_fetch_sub(&s->n_watching, 1);                                               \
		starpu_frame.closed = false;                                                       \
		record_resume(worker_self(), self);                                                \
		return returned;                                                                   \
	}

WATCHES(starpu_task_wait_for_n_submitted, (unsigned n), (n))
WATCHES(starpu_task_wait_for_n_submitted_in_ctx, (unsigned ctx, unsigned n), (ctx, n))
WATCHES(starpu_task_wait_for_no_ready, (void), ())
