/* SPDX-License-Identifier: MIT */
/*
 * record.h - the recorder as shims see it: one call an event.  record_pair.h has what is stored as
 * one, record_define.h what are no events.
 *
 * A shim asks record_worker() on entry of a wrapper; NULL means that nothing is recorded.  It
 * then brackets what the runtime does: record_create/fork/wait/yield/signal end the running
 * strand, record_resume begins the task's next one; record_begin/member .. record_end bracket a
 * task's code.  Events are those of wire.h.  All calls are made by the worker's own thread;
 * none fails, blocks (but for a full ring), allocates or calls libc.
 *
 * The clock is read first when a strand ends and last when one begins, so that neither the
 * runtime nor the recorder counts as the application's work.
 */
#pragma once

#include "preload/record_define.h"
#include "preload/record_slots.h"

typedef uint64_t record_id; /* of a task or a group; 0 is none */

/* Makes and begins a task that nothing created, for a thread that is in none yet. */
void record_root(struct worker *worker) EXPORT_AS(record_root);

/* Hot path: this thread's worker, or NULL if nothing is recorded: for what the runtime calls. */
static inline struct worker *record_worker(void)
{
	struct worker *worker = worker_self();

	return __builtin_expect(worker && worker_state(worker) >= WORKER_OUTSIDE, 1)
		       ? worker
		       : worker_attach();
}

/*
 * Hot path: likewise, for what only the program calls, from a task or from none.  A signal handler
 * that interrupts the runtime gets NULL.
 */
static inline struct worker *record_worker_inside(void)
{
	struct worker *worker = worker_self();

	return __builtin_expect(worker && worker_state(worker) == WORKER_INSIDE, 1)
		       ? worker
		       : worker_attach();
}

/* Hot path: the next id of this worker. */
static inline record_id record_next_id(struct worker *worker)
{
	return id_make(worker->index, ++worker->n_ids);
}

/* Hot path: ends the running strand; a thread that is in no task gets a root first. */
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

/* Hot path: the task goes on here, after whatever ended its last strand. */
static inline void record_resume(struct worker *worker, record_id task)
{
	worker->task = task;
	record_strand(worker, WIRE_RESUME, task);
}

/* Hot path: likewise, of a task that may have left another worker: `left` is the one where its last
 * strand ended, NULL if that is not known. */
static inline void record_resume_from(struct worker *worker, const struct worker *left,
				      record_id task)
{
	record_resume(worker, task);
	if (__builtin_expect(left != worker, 0))
		record_detail(worker, WIRE_MOVED, 0);
}

/* Hot path: a created task's code begins. */
static inline void record_begin(struct worker *worker, record_id task)
{
	worker->task = task;
	record_strand(worker, WIRE_BEGIN, task);
}

/* Hot path: a task of the group is made and its code begins. */
static inline record_id record_member(struct worker *worker, record_id group)
{
	enum worker_state was = worker_enter(worker);
	record_id task = record_next_id(worker);

	worker->task = task;
	if (__builtin_expect(was >= WORKER_OUTSIDE, 1))
		record_put_strand(worker, WIRE_MEMBER, group);
	return task;
}

/* Hot path: the task that was named so (WIRE_NAME) begins; its id from here on. */
static inline record_id record_start(struct worker *worker, uint64_t name)
{
	enum worker_state was = worker_enter(worker);
	record_id task = record_next_id(worker);

	worker->task = task;
	if (__builtin_expect(was >= WORKER_OUTSIDE, 1))
		record_put_strand(worker, WIRE_START, name);
	return task;
}

RECORD_ELSE record_end_else(struct worker *worker, record_id below)
{
	record_event(worker, WIRE_END, 0);
	worker->task = below;
}

/* Hot path: the running task's code is done; `below` is the task that it ran on top of, or 0. */
static inline void record_end(struct worker *worker, record_id below)
{
	uint64_t head;

	if (record_enter(worker, WORKER_OUTSIDE, &head, 1)) {
		record_end_strand_in(worker, head, WIRE_END, 0);
		worker->task = below;
	} else {
		record_end_else(worker, below);
	}
}
