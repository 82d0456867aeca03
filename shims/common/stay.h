/* SPDX-License-Identifier: MIT */
/*
 * stay.h - where a task stands: in the program's code, or inside the runtime.
 *
 * A stay is a local variable of a wrapper.  One that the program calls ends the task's strand,
 * makes a stay, calls the real function, and lets the task go on; one that the runtime calls makes
 * a stay around the code of a task.  The stay moves with the task's stack, so that it is right on
 * whatever thread the call comes back.
 *
 * How a shim knows that a thread is inside the runtime depends on the runtime:
 *
 *	keep, resume	tasks stay on their thread, and the runtime calls no wrapper itself: nothing
 *			needs to be known
 *	leave, return	the task may come back on another thread, or the runtime calls wrappers
 *			itself: worker->task is 0 meanwhile
 *	close, reopen	the runtime says which task runs on the thread, so that its id has to stay:
 *			worker->task has STAY_CLOSED meanwhile
 *
 * keep, leave and close come after the event that ended the strand; the others begin the next one.
 */
#pragma once

#include "preload/record.h"

#define STAY_CLOSED WORKER_TASK_CLOSED

struct stay {
	record_id task;		     /* the task that stands here */
	const struct worker *worker; /* where it was when the stay was made */
	record_id below;	     /* of a task's code: what its thread was in before; or 0 */
};

/* ---- inside the runtime ---- */

/* Hot path: the task stays on its thread. */
static inline struct stay stay_keep(struct worker *worker)
{
	return (struct stay){ .task = worker->task, .worker = worker };
}

/* Hot path: the call is back, on the same thread. */
static inline void stay_resume(const struct stay *stay)
{
	record_resume(worker_self(), stay->task);
}

/* Hot path: the task leaves this thread, perhaps for good. */
static inline struct stay stay_leave(struct worker *worker)
{
	struct stay stay = stay_keep(worker);

	worker->task = 0;
	return stay;
}

/* Hot path: the task goes on here, and may have left another worker: `left` is the one where its
 * last strand ended, NULL if that is not known. */
static inline void stay_resume_from(struct worker *worker, const struct worker *left,
				    record_id task)
{
	record_resume(worker, task);
	if (__builtin_expect(left != worker, 0))
		record_detail(worker, WIRE_MOVED, 0);
}

/* stay_return() without a stay: in memory there is none where the compiler does not inline it. */
static inline void stay_return_from(const struct worker *left, record_id task)
{
	struct worker *worker = record_worker();

	if (__builtin_expect(worker != NULL, 1))
		stay_resume_from(worker, left, task);
}

/* Hot path: it goes on, on whatever thread this is now; that may be one that is not recorded. */
static inline void stay_return(const struct stay *stay)
{
	stay_return_from(stay->worker, stay->task);
}

/* Hot path: the runtime will say what runs on this thread; this task does not, until then. */
static inline struct stay stay_close(struct worker *worker)
{
	struct stay stay = stay_keep(worker);

	worker->task |= STAY_CLOSED;
	return stay;
}

/* stay_reopen() without a stay: of this worker's thread. */
static inline void stay_reopen_task(struct worker *worker, record_id task)
{
	if (__builtin_expect(worker->task == (task | STAY_CLOSED), 1))
		record_resume(worker, task);
}

/* Hot path: the call is back: the task goes on if it is still here, and nobody resumed it. */
static inline void stay_reopen(const struct stay *stay)
{
	stay_reopen_task(worker_self(), stay->task);
}

/* ---- a task's code ---- */

/* Hot path: a created task begins, on top of what its thread is in. */
static inline struct stay stay_begin(struct worker *worker, record_id task)
{
	struct stay stay = { .task = task, .worker = worker, .below = worker->task };

	record_begin(worker, task);
	return stay;
}

/* Hot path: likewise, a task of a group, which is made here. */
static inline struct stay stay_member(struct worker *worker, record_id group)
{
	struct stay stay = { .worker = worker, .below = worker->task };

	stay.task = record_member(worker, group);
	return stay;
}

/* Hot path: its code is done, on the same thread. */
static inline void stay_end(const struct stay *stay)
{
	record_end(worker_self(), stay->below);
}

/*
 * Hot path: the code of a task is done that may have moved, to a thread that is not recorded
 * perhaps.  It had a stack of its own, so that nothing is below.
 */
static inline void stay_end_moved(void)
{
	struct worker *worker = worker_self();

	if (__builtin_expect(worker != NULL, 1))
		record_end(worker, 0);
}
