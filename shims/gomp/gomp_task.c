/* SPDX-License-Identifier: MIT */
/*
 * gomp_task.c - tasks: GOMP_task().
 *
 * Hot path: GOMP_task_enter(), plain_lay(), wire_flags(), copy_bytes(); task_run();
 * gomp_aside_back(); GOMP_taskwait().
 *
 * libgomp is handed our function and our block of data, which is a head and, behind it, the
 * program's own; our function takes the time around the program's.  The plain case, a task
 * without copy constructor, event, dependences, wide alignment or much data, has a head of 16
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
	gomp_fn fn;
	record_id id;
};

/*
 * libgomp copies the block of a task that it defers before it does anything else.  What it runs at
 * once it runs on the block itself, before the thread makes another; the data are the program's own
 * then, as they are without us.
 */
static inline void *plain_data(struct worker *worker, struct head *head)
{
	const struct omp_aside *last = omp_asides(worker)->plain;

	return __builtin_expect(last && (char *)head == last->block, 0)
		       ? (void *)(uintptr_t)last->data
		       : head + 1;
}

static __attribute__((noinline)) void task_run_else(struct head *head)
{
	struct worker *self = worker_self(), *worker = record_worker();
	void *data = self ? plain_data(self, head) : head + 1;

	if (!worker) {
		head->fn(data);
		return;
	}
	gomp_fn fn = head->fn;
	struct stay stay = stay_begin(worker, head->id);

	fn(data);
	stay_end(&stay);
}

/* Hot path: runs a plain task, with 16 bytes of stack. */
static void task_run(void *block)
{
	struct head *head = block;
	struct worker *worker = worker_self();
	struct store store = worker ? worker_enter(worker, WORKER_OUTSIDE, 1) : NO_STORE;

	if (!store.slot) {
		task_run_else(head);
		return;
	}
	gomp_fn fn = head->fn;
	record_id below = worker->task;
	void *data = plain_data(worker, head);

	worker->task = head->id;
	worker_fill_now(store.slot, WIRE_BEGIN, head->id);
	worker_leave(worker, store, WORKER_INSIDE);
	fn(data);
	gomp_task_end(below);
}

static inline uint32_t wire_flags(bool if_clause, unsigned flags)
{
	if (__builtin_expect(flags & GOMP_FLAG_FINAL, 0))
		record_final();
	return (if_clause ? 0 : WIRE_TASK_UNDEFERRED) |
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
static __attribute__((noinline)) bool long_enter(struct omp_aside *aside, struct worker *worker,
						 uint32_t site, uintptr_t in[6],
						 const uintptr_t *on_stack)
{
	unsigned flags = (unsigned)on_stack[0];
	bool detached = flags & GOMP_FLAG_DETACH;
	void *room = long_room(aside, in);
	record_id id;

	if (!room)
		return false;
	id = record_create(worker, site, wire_flags((uint8_t)in[5], flags));
	if (flags & GOMP_FLAG_DEPEND) {
		aside->await = gomp_thread.await;
		gomp_thread.await = (struct gomp_await){ worker->task, id };
		aside->head.back = depends_back;
		gomp_depends(worker, (void **)on_stack[1]); /* NOLINT: words */
	}
	if (!detached)
		in[IN_FN] = gomp_body(worker, in[IN_FN]);
	long_lay(room, (struct long_head){ .id = id, .detached = detached, .n_words = detached },
		 in);
	return true;
}

/* Hot path.  Before a task with dependences others may run here. */
static inline bool is_plain(const uintptr_t in[6], unsigned flags)
{
	return !in[IN_CPYFN] && !(flags & (GOMP_FLAG_DETACH | GOMP_FLAG_DEPEND)) &&
	       in[IN_ALIGN] <= PLAIN_ALIGN && in[IN_BYTES] <= GOMP_PLAIN_MAX;
}

/* Hot path */
static inline void plain_lay(struct omp_aside *aside, struct worker *worker, record_id id,
			     uintptr_t in[6])
{
	struct head *head = (struct head *)aside->block;

	head->fn = (gomp_fn)gomp_body(worker, in[IN_FN]);
	head->id = id;
	aside->data = (void *)in[IN_DATA]; /* NOLINT: words */
	omp_asides(worker)->plain = aside;
	copy_bytes(head + 1, aside->data, in[IN_BYTES]);
	in[IN_FN] = (uintptr_t)task_run;
	in[IN_DATA] = (uintptr_t)head;
	in[IN_BYTES] += sizeof(*head);
	in[IN_ALIGN] = in[IN_ALIGN] > 8 ? in[IN_ALIGN] : 8;
}

/* Hot path.  (fn, data, cpyfn, bytes, align, if_clause; flags, depend, priority, detach) */
ASIDE_WRAPPER(GOMP_task);
ASIDE_ENTER(GOMP_task)
{
	struct callsite *callsite = CALLSITE_FROM(from, gomp, GOMP_task, in[IN_FN]);
	struct aside_entered call = { (const void *)(uintptr_t)gomp_of(callsite)->GOMP_task, NULL };
	struct worker *worker = gomp_worker(callsite);
	struct omp_aside *aside = worker ? omp_aside_open(worker, on_stack, gomp_aside_back) : NULL;
	bool if_clause = (uint8_t)in[5];
	unsigned flags = (unsigned)on_stack[0];

	if (__builtin_expect(!aside, 0))
		return call;
	if (__builtin_expect(gomp_of(callsite)->head.other, 0))
		other_enter(aside, worker, callsite->site, if_clause);
	else if (__builtin_expect(is_plain(in, flags), 1))
		plain_lay(aside, worker,
			  record_create(worker, callsite->site, wire_flags(if_clause, flags)), in);
	else if (!long_enter(aside, worker, callsite->site, in, on_stack))
		return call;
	call.aside = &aside->head;
	return call;
}
