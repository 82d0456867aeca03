/* SPDX-License-Identifier: MIT */
/*
 * record.h - the recorder as shims see it: one call an event, or for two or three that are stored
 * as one.  record_event.h says how one is stored, record_define.h has what are no events.
 *
 * A shim asks record_worker() on entry of a wrapper; NULL means that nothing is recorded.  It
 * then brackets what the runtime does: record_create/fork/wait/yield/signal end the running
 * strand, record_resume begins the task's next one; record_begin/member .. record_end bracket a
 * task's code.  Events are those of events.h.  All calls are made by the worker's own thread; none
 * fails.  None blocks, allocates or calls libc but for a chunk more, once a chunk is full.
 *
 * The clock is read first when a strand ends and last when one begins, so that the runtime and the
 * recorder do not count as the application's work.
 */
#pragma once

#include "preload/record_define.h"
#include "preload/record_event.h"

/* ---- the running strand ends ---- */

/* Hot path: a thread that is in no task gets a root first. */
static inline void record_end_strand(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	if (__builtin_expect(!worker->task, 0))
		record_root(worker);
	record_event(worker, kind, b);
}

/* Hot path: the running task creates one.  flags: enum wire_task. */
static inline record_id record_create(struct worker *worker, uint32_t site, uint32_t flags)
{
	record_end_strand(worker, WIRE_CREATE, site_make(site, flags));
	return record_next_id(worker);
}

/* Hot path: the running task makes a group of tasks.  flags: enum wire_fork. */
static inline record_id record_fork(struct worker *worker, uint32_t site, uint32_t flags)
{
	record_end_strand(worker, WIRE_FORK, site_make(site, flags));
	return record_next_id(worker);
}

/* Hot path: the running task waits. */
static inline void record_wait(struct worker *worker, uint32_t site, enum wire_wait wait)
{
	record_end_strand(worker, WIRE_WAIT, site_make(site, wait));
}

/* Hot path: the running task waits for what has a name. */
static inline void record_wait_for(struct worker *worker, uint32_t site, enum wire_wait wait,
				   uint64_t name)
{
	if (__builtin_expect(!worker->task, 0))
		record_root(worker);
	record_both(worker, (struct wire_event){ WIRE_WAIT, site_make(site, wait) },
		    (struct wire_event){ WIRE_OBJECT, name });
}

static __attribute__((noinline, cold, unused)) void
record_create_named_slow(struct worker *worker, struct wire_event event, uint64_t name,
			 uint64_t bag)
{
	record_slow(worker, event, NO_EVENT);
	record_next_id(worker);
	record_slow(worker, (struct wire_event){ WIRE_NAME, name },
		    (struct wire_event){ WIRE_BAG, bag });
}

/* Hot path: record_create() at `ticks`, with a name and the bag of its waiters. */
static inline void record_create_named_at(struct worker *worker, uint64_t ticks, uint32_t site,
					  uint64_t name, uint64_t bag)
{
	struct wire_event event = { event_at(ticks, WIRE_CREATE), site };
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 3);

	if (!store.slot)
		return record_create_named_slow(worker, event, name, bag);
	worker_fill(store.slot, event.a, event.b);
	worker_fill(store.slot + 1, WIRE_NAME, name);
	worker_fill(store.slot + 2, WIRE_BAG, bag);
	record_next_id(worker);
	worker_leave(worker, store, WORKER_OUTSIDE);
}

/* Hot path: the running task's code is done; `below` is the task that it ran on top of, or 0. */
static inline void record_end(struct worker *worker, record_id below)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);

	if (!store.slot) {
		record_slow(worker, (struct wire_event){ WIRE_END, below }, NO_EVENT);
		return;
	}
	worker_fill_now(store.slot, WIRE_END, 0);
	worker_leave(worker, store, WORKER_OUTSIDE);
	worker->task = below;
}

/* ---- a strand begins ---- */

/* Hot path: the task goes on here, after whatever ended its last strand. */
static inline void record_resume(struct worker *worker, record_id task)
{
	worker->task = task;
	record_event(worker, WIRE_RESUME, task);
}

/* Hot path: likewise, and the name of the task that was created before. */
static inline void record_resume_named(struct worker *worker, record_id task, uint64_t name)
{
	worker->task = task;
	record_both(worker, (struct wire_event){ WIRE_RESUME, task },
		    (struct wire_event){ WIRE_NAME, name });
}

/* Hot path: a created task's code begins. */
static inline void record_begin(struct worker *worker, record_id task)
{
	worker->task = task;
	record_event(worker, WIRE_BEGIN, task);
}

/* Hot path: the task is made here, and its code begins: WIRE_MEMBER or WIRE_START. */
static inline record_id record_begin_new(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	struct store store = worker_enter(worker, WORKER_OUTSIDE, 1);

	if (!store.slot) {
		record_slow(worker, (struct wire_event){ kind, b }, NO_EVENT);
		return worker->task;
	}
	worker->task = record_next_id(worker);
	worker_fill_now(store.slot, kind, b);
	worker_leave(worker, store, WORKER_INSIDE);
	return worker->task;
}

/* Hot path: a task of the group is made and its code begins. */
static inline record_id record_member(struct worker *worker, record_id group)
{
	return record_begin_new(worker, WIRE_MEMBER, group);
}

/* Hot path: the task that was named so (WIRE_NAME) begins; its id from here on. */
static inline record_id record_start(struct worker *worker, uint64_t name)
{
	return record_begin_new(worker, WIRE_START, name);
}
