/* SPDX-License-Identifier: MIT */
/*
 * gomp_task.c - tasks: GOMP_task().
 *
 * Hot path: GOMP_task_enter(), plain_lay(), wire_flags(), copy_bytes(); task_run();
 * gomp_aside_back(); GOMP_taskwait().
 *
 * libgomp is handed our function and our block of data, which is a head and, behind it, the
 * program's own; our function takes the time around the program's.  The plain case, a task
 * without copy constructor, event, dependences, wide alignment or much data, has a head of 48
 * bytes; all else has a long one (gomp_long.h).
 *
 * GCC 4.4 to 4.8 pass nothing behind the flags, GCC 5 to 10 no event: those words are variables of
 * the caller then, which other threads may write.  Of the arguments on the stack we look at what
 * the flags say is there, and write none.
 */
#include "shims/gomp/gomp_long.h"

#include "shims/common/copy.h"

#include "preload/poison.h"

#define PLAIN_ALIGN 16

struct head {
	union {
		struct gomp_run run;
		struct { /* before */
			gomp_fn fn;
			record_id id;
		};
	};
};
_Static_assert(sizeof(struct head) % PLAIN_ALIGN == 0 &&
		       sizeof(struct head) + GOMP_PLAIN_MAX <= OMP_BLOCK_BYTES,
	       "the data behind it lie in an aside, aligned");

static __attribute__((noinline)) void run_else(struct head *head)
{
	struct worker *worker = record_worker();
	aside_fn *fn = (aside_fn *)(uintptr_t)head->fn;

	if (worker) {
		head->run.below = worker->task;
		head->run.aside.back = gomp_run_back;
		record_begin(worker, head->id);
	}
	aside_call(head + 1, NULL, NULL, NULL, worker ? &head->run.aside : NULL, fn);
}

/* Hot path: runs a plain task. */
static void task_run(void *block)
{
	struct head *head = block;
	struct worker *worker = worker_self();
	struct store store = worker ? worker_enter(worker, WORKER_OUTSIDE, 1) : NO_STORE;

	if (!store.slot) {
		run_else(head);
		return;
	}
	head->run.below = worker->task;
	head->run.aside.back = gomp_run_back;
	worker->task = head->id;
	worker_fill_now(store.slot, WIRE_BEGIN, head->id);
	worker_leave(worker, store, WORKER_INSIDE);
	aside_call(head + 1, NULL, NULL, NULL, &head->run.aside, (aside_fn *)(uintptr_t)head->fn);
}

static inline uint32_t wire_flags(uintptr_t if_clause, unsigned flags)
{
	if (__builtin_expect(flags & GOMP_FLAG_FINAL, 0))
		record_final();
	return ((uint8_t)if_clause ? 0 : WIRE_TASK_UNDEFERRED) |
	       (flags & GOMP_FLAG_FINAL ? WIRE_TASK_FINAL : 0) |
	       (flags & GOMP_FLAG_UNTIED ? WIRE_TASK_UNTIED : 0) |
	       (flags & GOMP_FLAG_DETACH ? WIRE_TASK_DETACHED : 0);
}

/* libomp: the callbacks take the time around the program's function. */
static void *other_back(struct aside *head, void *returned)
{
	struct omp_aside *aside = (struct omp_aside *)head;
	struct ompt_stay stay = aside->stay;

	ompt_thread.if0 = false;
	if (omp_aside_close(worker_self(), aside))
		ompt_unwrap(&stay);
	return returned;
}

static __attribute__((noinline)) void other_enter(struct omp_aside *aside, struct worker *worker,
						  uint32_t site, bool if_clause)
{
	ompt_take_note(worker, OMPT_NOTE_TASK, site);
	ompt_thread.task_site = site;
	ompt_thread.if0 = !if_clause;
	aside->stay = ompt_wrap(worker);
	aside->head.back = other_back;
}

/* libgomp may run other tasks first, until those are done on which this one depends. */
static void *depends_back(struct aside *head, void *returned)
{
	const struct omp_aside *aside = (struct omp_aside *)head;

	gomp_thread.await = aside->await;
	return gomp_aside_back(head, returned);
}

/* All but a plain task.  False: there is no memory. */
static bool long_enter(struct omp_aside *aside, struct worker *worker, uint32_t site,
		       uintptr_t in[6], const uintptr_t *on_stack)
{
	unsigned flags = (unsigned)on_stack[0];
	bool detached = flags & GOMP_FLAG_DETACH;
	void *room = long_room(aside, in);
	record_id id;

	if (!room)
		return false;
	id = record_create(worker, site, wire_flags(in[IN_IF], flags));
	if (flags & GOMP_FLAG_DEPEND) {
		aside->await = gomp_thread.await;
		gomp_thread.await = (struct gomp_await){ worker->task, id };
		aside->head.back = depends_back;
		gomp_depends(worker, (void **)on_stack[1]); /* NOLINT: words */
	}
	long_lay(room, (struct long_head){ .id = id, .detached = detached, .n_words = detached },
		 in);
	return true;
}

/* Hot path.  Before a task with dependences others may run here. */
static inline bool is_plain(const uintptr_t in[6], unsigned flags)
{
	const unsigned told = GOMP_FLAG_FINAL | GOMP_FLAG_DETACH | GOMP_FLAG_DEPEND;

	return !in[IN_CPYFN] && !(flags & told) && in[IN_ALIGN] <= PLAIN_ALIGN &&
	       in[IN_BYTES] <= GOMP_PLAIN_MAX;
}

/* Hot path */
static inline void plain_lay(struct head *head, record_id id, uintptr_t in[6])
{
	head->fn = (gomp_fn)in[IN_FN];
	head->id = id;
	copy_bytes(head + 1, (void *)in[IN_DATA], in[IN_BYTES]); /* NOLINT: words */
	in[IN_FN] = (uintptr_t)task_run;
	in[IN_DATA] = (uintptr_t)head;
	in[IN_BYTES] += sizeof(*head);
	in[IN_ALIGN] = PLAIN_ALIGN;
}

/* Where the short way will not do. */
static __attribute__((noinline)) struct aside_entered
task_else(uintptr_t in[6], const uintptr_t *on_stack, void *from)
{
	struct callsite *callsite = CALLSITE_FROM(from, gomp, GOMP_task, in[IN_FN]);
	struct aside_entered call = { (const void *)(uintptr_t)gomp_of(callsite)->GOMP_task, NULL };
	struct worker *worker = gomp_worker(callsite);
	unsigned flags = (unsigned)on_stack[0];
	struct omp_aside *aside = worker ? omp_aside_open(worker, gomp_aside_back) : NULL;

	if (!aside)
		return call;
	if (!gomp_of(callsite)->head.other && !(flags & GOMP_FLAG_DETACH))
		in[IN_FN] = gomp_body(worker, in[IN_FN]);
	if (gomp_of(callsite)->head.other)
		other_enter(aside, worker, callsite->site, (uint8_t)in[IN_IF]);
	else if (is_plain(in, flags))
		plain_lay((struct head *)aside->block,
			  record_create(worker, callsite->site, wire_flags(in[IN_IF], flags)), in);
	else if (!long_enter(aside, worker, callsite->site, in, on_stack))
		return call;
	call.aside = &aside->head;
	return call;
}

/* Hot path: nothing is called, so that no register has to be saved.
 * (fn, data, cpyfn, bytes, align, if_clause; flags, depend, priority, detach) */
ASIDE_WRAPPER(GOMP_task);
ASIDE_ENTER(GOMP_task)
{
	const struct callsite *callsite = callsite_at_hand(&gomp_callsites, from, (void *)in[IN_FN],
							   ENTRY_GOMP_task); /* NOLINT: words */
	struct worker *worker = worker_self();
	unsigned flags = (unsigned)on_stack[0];
	struct store store = NO_STORE;
	struct omp_aside *aside;

	if (__builtin_expect(callsite && callsite->site && !callsite->instance->other && worker &&
				     worker->task && omp_aside_is_free(worker) &&
				     is_plain(in, flags),
			     1))
		store = worker_enter(worker, WORKER_INSIDE, 1);
	if (!store.slot)
		return task_else(in, on_stack, from);
	worker_fill_now(store.slot, WIRE_CREATE,
			site_make(callsite->site, wire_flags(in[IN_IF], flags & GOMP_FLAG_UNTIED)));
	worker_leave(worker, store, WORKER_OUTSIDE);
	aside = omp_aside_take(worker, gomp_aside_back);
	plain_lay((struct head *)aside->block, record_next_id(worker), in);
	return (struct aside_entered){ (const void *)(uintptr_t)gomp_of(callsite)->GOMP_task,
				       &aside->head };
}
