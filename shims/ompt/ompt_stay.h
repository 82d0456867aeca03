/* SPDX-License-Identifier: MIT */
/*
 * ompt_stay.h - how a task is inside libomp, for wrappers and callbacks: stay_close() of stay.h,
 * or, in a call that creates, a strand that is left open for a callback to end.
 *
 * All by the thread itself.  No task of libomp's changes thread within a call.
 */
#pragma once

#include "shims/common/stay.h"
#include "shims/ompt/ompt.h"

/* Hot path: whether ompt_worker() is this thread's worker, as can be told without a call. */
static inline bool ompt_is_open(const struct callsite *callsite, const struct worker *worker)
{
	return __builtin_expect(ompt_state.plain && callsite->site && worker &&
					worker_state(worker) >= WORKER_OUTSIDE && worker->task &&
					!(worker->task & OMPT_CLOSED) &&
					worker->task != ompt_thread.wrapped,
				1);
}

/*
 * Hot path: whether a wrapper records, and on which worker; NULL: pass the call on.
 *
 * libomp calls its own entry points, too, and where such a call comes from does not tell: that of a
 * task's code that ends with it is a jump.  But no strand of the program's is open then, or it
 * is in a wrapper that leaves it open, which has said so with ompt_wrap().
 */
static inline struct worker *ompt_worker(const struct callsite *callsite)
{
	struct worker *worker = worker_self();

	return ompt_is_open(callsite, worker) ? worker : ompt_worker_else(callsite);
}

/* Hot path: begins the strand again of a task that is taken for suspended, but has none open. */
static inline void ompt_ensure_open(struct worker *worker)
{
	if (__builtin_expect((worker->task & OMPT_CLOSED) != 0, 0))
		record_resume(worker, worker->task & ~OMPT_CLOSED);
	else if (__builtin_expect(!worker->task, 0))
		record_root(worker);
}

/* Hot path: ends the running strand; what runs next on this thread is libomp. */
static inline record_id ompt_end_strand(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	uint64_t ticks = record_ticks(worker);
	record_id self;

	if (__builtin_expect(!worker->task || worker->task & OMPT_CLOSED, 0)) {
		ompt_ensure_open(worker);
		ticks = record_ticks(worker);
	}
	record_event_at(worker, ticks, kind, b);
	self = worker->task;
	worker->task = self | OMPT_CLOSED;
	return self;
}

static inline record_id ompt_wait(struct worker *worker, uint32_t site, enum wire_wait wait)
{
	return ompt_end_strand(worker, WIRE_WAIT, site_make(site, wait));
}

/* Whether the address is in a libomp's code; false where that is linked statically. */
static inline bool ompt_has_code(uintptr_t address)
{
	for (uint32_t i = 0; i < ompt_state.n_instances && !ompt_state.bare; i++)
		if (segment_has(&ompt_state.instance[i], address))
			return true;
	return false;
}

/* Hot path: a wrapper of this thread is entered; a callback may want to know when. */
static inline void ompt_note_time(struct worker *worker, enum ompt_note note)
{
	ompt_thread.note_ticks = worker_ticks(worker);
	ompt_thread.note_head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	ompt_thread.note = note;
	ompt_thread.note_flags = 0;
}

/* Hot path: .. and where. */
static inline void ompt_take_note(struct worker *worker, enum ompt_note note, uint32_t site)
{
	ompt_note_time(worker, note);
	ompt_thread.note_site = site;
}

static inline bool ompt_has_note(struct worker *worker, enum ompt_note note)
{
	return ompt_thread.note == note &&
	       ompt_thread.note_head == atomic_load_explicit(&worker->head, memory_order_relaxed);
}

/*
 * A wrapper that calls what creates.  The strand is left open: a callback ends it, if a task comes
 * of the call, and until then ompt_worker() knows by `wrapped` that the thread is inside libomp.
 */
struct ompt_stay {
	struct stay stay;
	record_id outer; /* what ompt_thread.wrapped was before */
};

/* Hot path */
static inline struct ompt_stay ompt_wrap(struct worker *worker)
{
	struct ompt_stay stay = { stay_keep(worker), ompt_thread.wrapped };

	ompt_thread.wrapped = worker->task;
	return stay;
}

/* Hot path: it is back. */
static inline void ompt_unwrap(const struct ompt_stay *stay)
{
	ompt_thread.wrapped = stay->outer;
	stay_reopen(&stay->stay);
}

/* A taskloop of the running task, seen by a wrapper. */
struct ompt_loop {
	struct stay stay;
	record_id outer_task, outer_loop;
};

static inline void ompt_loop_open(struct ompt_loop *loop, struct worker *worker, record_id group)
{
	loop->outer_task = ompt_thread.loop_task;
	loop->outer_loop = ompt_thread.loop;
	ompt_thread.loop_task = worker->task;
	ompt_thread.loop = group;
	loop->stay = stay_close(worker);
}

static inline void ompt_loop_close(const struct ompt_loop *loop)
{
	ompt_thread.loop_task = loop->outer_task;
	ompt_thread.loop = loop->outer_loop;
	stay_reopen(&loop->stay);
}
