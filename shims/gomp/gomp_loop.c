/* SPDX-License-Identifier: MIT */
/*
 * gomp_loop.c - GOMP_taskloop().
 *
 * Hot path, a loop: loop_enter(), loop_open(), loop_close(); a task of it: loop_run().  90 lines.
 */
#include "shims/gomp/gomp_long.h"

#include "shims/common/copy.h"
#include "shims/common/drops.h"
#include "shims/common/hand.h"

#include "preload/poison.h"

static record_id loop_fork(struct worker *worker, uint32_t site, unsigned flags)
{
	if (flags & GOMP_FLAG_FINAL)
		record_final();
	return record_fork(worker, site,
			   WIRE_FORK_LOOP | (flags & GOMP_FLAG_NOGROUP ? WIRE_FORK_NOWAIT : 0) |
				   (flags & GOMP_FLAG_IF ? 0 : WIRE_FORK_UNDEFERRED) |
				   (flags & GOMP_FLAG_FINAL ? WIRE_FORK_FINAL : 0));
}

/* Of data that libgomp cannot just copy; and on libomp. */
#define TASKLOOP_LONG(name, bound)                                                                 \
	static void name##_long(gomp_fn fn, void *data, gomp_cpyfn cpyfn, long bytes, long align,  \
				unsigned flags, unsigned long n_tasks, int priority, bound start,  \
				bound end, bound step)                                             \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(GOMP_FROM(), gomp, name, fn);            \
		struct worker *worker = gomp_worker(callsite);                                     \
		struct parcel parcel = { 0 };                                                      \
		struct ompt_loop loop;                                                             \
                                                                                                   \
		if (!worker) {                                                                     \
			gomp_of(callsite)->name(fn, data, cpyfn, bytes, align, flags, n_tasks,     \
						priority, start, end, step);                       \
			return;                                                                    \
		}                                                                                  \
		parcel_pack(&parcel, fn, data, cpyfn, bytes, align);                               \
		parcel.head.id = loop_fork(worker, callsite->site, flags);                         \
		if (gomp_of(callsite)->head.other) {                                               \
			ompt_loop_open(&loop, worker, parcel.head.id);                             \
			gomp_of(callsite)->name(fn, data, cpyfn, bytes, align, flags, n_tasks,     \
						priority, start, end, step);                       \
			ompt_loop_close(&loop);                                                    \
			return;                                                                    \
		}                                                                                  \
		parcel.head.loop = true;                                                           \
		parcel.head.n_words = 2;                                                           \
		if (flags & GOMP_FLAG_REDUCTION)                                                   \
			parcel.head.word[2] = ((uint64_t *)data)[2];                               \
		PARCEL_HAND(parcel, name##_HAND);                                                  \
		gomp_go_on();                                                                      \
	}

#define LOOP_HAND(name, block, copy)                                                               \
	gomp_of(callsite)->name(long_task_run, block, copy,                                        \
				(long)(parcel.head.offset + parcel.bytes), (long)parcel.align,     \
				flags, n_tasks, priority, start, end, step)
#define GOMP_taskloop_HAND(block, copy) LOOP_HAND(GOMP_taskloop, block, copy)
#define GOMP_taskloop_ull_HAND(block, copy) LOOP_HAND(GOMP_taskloop_ull, block, copy)

/*
 * A plain taskloop has a block of its own, of its creator's pool, until its call returns.  What
 * libgomp runs at once it runs on that block, one task after the other, with the program's own
 * data.
 */
struct loop_head {
	uint64_t word[3]; /* as of struct long_head */
	gomp_fn fn;
	record_id group;
	const struct loop_head *self; /* elsewhere: it is libgomp's copy */
};

_Static_assert(sizeof(struct loop_head) + GOMP_PLAIN_MAX <= sizeof(((struct aside *)0)->block),
	       "has room");

static inline uint64_t *loop_data(struct loop_head *head)
{
	uint64_t *data = (uint64_t *)(head + 1);

	if (head->self == head)
		data = ((struct aside *)((char *)head - offsetof(struct aside, block)))->data;
	data[0] = head->word[0];
	data[1] = head->word[1];
	return data;
}

static __attribute__((noinline)) void loop_run_else(struct loop_head *head)
{
	struct worker *worker = record_worker();

	if (!worker) {
		head->fn(loop_data(head));
		return;
	}
	struct stay stay = stay_member(worker, head->group);

	head->fn(loop_data(head));
	stay_end(&stay);
}

/* Hot path: runs a task of a plain taskloop, with 16 bytes of stack. */
static void loop_run(void *block)
{
	struct loop_head *head = block;
	struct worker *worker = worker_self();
	struct store store = worker ? worker_enter(worker, WORKER_OUTSIDE, 1) : NO_STORE;

	if (!store.slot) {
		loop_run_else(head);
		return;
	}
	gomp_fn fn = head->fn;
	record_id below = worker->task;
	void *data = loop_data(head);

	worker->task = record_next_id(worker);
	worker_fill_now(store.slot, WIRE_MEMBER, head->group);
	worker_leave(worker, store, WORKER_INSIDE);
	fn(data);
	gomp_task_end(below);
}

static inline struct hand loop_enter(struct callsite *callsite, const void *to,
				     const void *otherwise, uintptr_t in[6], const void *on_stack,
				     const void *from)
{
	struct worker *worker = gomp_worker(callsite);
	long bytes = (long)in[3], align = (long)in[4];
	unsigned flags = (unsigned)in[5];
	struct loop_head *head;
	struct aside *aside;

	if (!worker)
		return (struct hand){ to, HAND_NOT };
	if (gomp_of(callsite)->head.other || in[2] || bytes > GOMP_PLAIN_MAX || align > 16 ||
	    (IN_ASSEMBLY && !drops_arguments(from, HAND_PLACE_BYTES)))
		return (struct hand){ otherwise, HAND_NOT };
	aside = aside_open(worker, on_stack);
	if (!aside)
		return (struct hand){ otherwise, HAND_NOT };
	head = (struct loop_head *)aside->block;
	aside->data = (uint64_t *)in[1]; /* NOLINT: words */
	aside->await = gomp_thread.await;
	head->word[2] = flags & GOMP_FLAG_REDUCTION ? aside->data[2] : 0;
	head->fn = (gomp_fn)in[0];
	head->group = loop_fork(worker, callsite->site, flags);
	head->self = head;
	copy_bytes(head + 1, aside->data, (size_t)bytes);
	in[0] = (uintptr_t)loop_run;
	in[1] = (uintptr_t)head;
	in[3] = sizeof(*head) + (size_t)bytes;
	in[4] = (uintptr_t)(align > 8 ? align : 8);
	return (struct hand){ to, HAND_COPIED };
}

#define TASKLOOP(name, bound)                                                                      \
	TASKLOOP_LONG(name, bound)                                                                 \
	HAND_DECLARE(name);                                                                        \
	struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)                 \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, gomp, name, in[0]);                \
                                                                                                   \
		GOMP_SET_FROM(from);                                                               \
		return loop_enter(callsite, (const void *)(uintptr_t)gomp_of(callsite)->name,      \
				  (const void *)(uintptr_t)name##_long, in, on_stack, from);       \
	}                                                                                          \
	int name##_leave(uintptr_t *on_stack, int returned)                                        \
	{                                                                                          \
		aside_close(on_stack, &gomp_thread.await);                                         \
		gomp_go_on();                                                                      \
		return returned;                                                                   \
	}                                                                                          \
	HAND_IN_PLACE(name)

/* (fn, data, cpyfn, bytes, align, flags; n_tasks, priority, start, end, step) */
TASKLOOP(GOMP_taskloop, long);
TASKLOOP(GOMP_taskloop_ull, unsigned long long);

void gomp_loop_set_body(gomp_fn run, void *block, gomp_fn body)
{
	if (run == loop_run)
		((struct loop_head *)block)->fn = body;
}
