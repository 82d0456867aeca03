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
#include "shims/common/pool.h"

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
		struct callsite *callsite = CALLSITE(gomp, name, fn);                              \
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

struct loop {
	struct loop *outer; /* of the thread, in the order of the calls */
	const void *at; /* where the call's arguments are; of no other call that has not returned */
	uint64_t *data; /* the program's, good until then */
	_Alignas(16) struct loop_head head;
	char copy[GOMP_PLAIN_MAX];
};

/* Of a thread, in its worker's memory. */
struct own_loops {
	struct loop *innermost;
	struct pool_list spare;
};
_Static_assert(sizeof(struct own_loops) <= sizeof(((struct gomp_room *)0)->loops), "has room");

static inline struct own_loops *loops_of(struct worker *worker)
{
	return (struct own_loops *)gomp_room((struct omp_room *)worker->shim)->loops;
}

static struct pool loops = { .record_bytes = sizeof(struct loop) };

/* NULL: there is no memory. */
static struct loop *loop_open(struct worker *worker, const void *at)
{
	struct own_loops *own = loops_of(worker);
	struct loop *loop = pool_take(&loops, &own->spare, worker->index);

	if (!loop)
		return NULL;
	loop->outer = own->innermost;
	loop->at = at;
	own->innermost = loop;
	return loop;
}

/* Those that the thread opened later have not returned, and never will: pthread_exit() was called,
 * or longjmp(). */
static void loop_close(const void *at)
{
	struct worker *worker = worker_self();
	struct own_loops *own = worker ? loops_of(worker) : NULL;

	for (struct loop **link = own ? &own->innermost : NULL; link && *link;
	     link = &(*link)->outer) {
		struct loop *loop = *link;

		if (loop->at != at)
			continue;
		*link = loop->outer;
		pool_give(&loops, &own->spare, worker->index, loop);
		return;
	}
}

static inline uint64_t *loop_data(struct loop_head *head)
{
	uint64_t *data = (uint64_t *)(head + 1);

	if (head->self == head)
		data = ((struct loop *)((char *)head - offsetof(struct loop, head)))->data;
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
	struct loop *loop;

	if (!worker)
		return (struct hand){ to, false };
	if (gomp_of(callsite)->head.other || in[2] || bytes > GOMP_PLAIN_MAX || align > 16 ||
	    (IN_ASSEMBLY && !drops_arguments(from, HAND_PLACE_BYTES)))
		return (struct hand){ otherwise, false };
	loop = loop_open(worker, on_stack);
	if (!loop)
		return (struct hand){ otherwise, false };
	loop->data = (uint64_t *)in[1]; /* NOLINT: words */
	loop->head.word[2] = flags & GOMP_FLAG_REDUCTION ? loop->data[2] : 0;
	loop->head.fn = (gomp_fn)in[0];
	loop->head.group = loop_fork(worker, callsite->site, flags);
	loop->head.self = &loop->head;
	copy_bytes(loop->copy, loop->data, (size_t)bytes);
	in[0] = (uintptr_t)loop_run;
	in[1] = (uintptr_t)&loop->head;
	in[3] = sizeof(loop->head) + (size_t)bytes;
	in[4] = (uintptr_t)(align > 8 ? align : 8);
	return (struct hand){ to, true };
}

#define TASKLOOP(name, bound)                                                                      \
	TASKLOOP_LONG(name, bound)                                                                 \
	HAND_DECLARE(name, const void);                                                            \
	struct hand name##_enter(uintptr_t in[6], uintptr_t *on_stack, void *from)                 \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, gomp, name, in[0]);                \
                                                                                                   \
		return loop_enter(callsite, (const void *)(uintptr_t)gomp_of(callsite)->name,      \
				  (const void *)(uintptr_t)name##_long, in, on_stack, from);       \
	}                                                                                          \
	void name##_leave(const void *on_stack)                                                    \
	{                                                                                          \
		loop_close(on_stack);                                                              \
		gomp_go_on();                                                                      \
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
