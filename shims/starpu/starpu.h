/* SPDX-License-Identifier: MIT */
/*
 * starpu.h - what the wrappers of StarPU's functions share: the real ones, tasks' fields and names.
 *
 * ABI facts: all calls among StarPU's own files go through the PLT, so that a wrapper sees what
 * the library asks itself, too: starpu_task_insert() submits by starpu_task_submit(), waits and
 * reductions submit tasks of their own.  A task runs from start to end on one thread; nothing
 * migrates.  Its code runs between _starpu_driver_start_job() and _starpu_driver_end_job(), its
 * callback after that, when its successors may run already.
 *
 * A worker without a task never sleeps, but looks again and again: each look, and what it finds
 * and runs, is a _starpu_cpu_driver_run_once() [driver_cpu.c, _starpu_cpu_worker()].
 *
 *	name	of a task: its address.  Of its callback, of its end where other tasks end it, of
 *		the release of a handle: see enum starpu_name.  Of a tag: starpu_tag_name()
 */
#pragma once

#include "shims/common/row.h"
#include "shims/starpu/starpu_functions.h"
#include "shims/starpu/starpu_layout.h"

struct starpu {
	struct instance head;
	STARPU_FUNCTIONS(CALL_POINTER)
	STARPU_VARIADICS(CALL_POINTER)
	STARPU_ASKED(CALL_POINTER)
	const struct starpu_layout *layout; /* NULL: nothing is known of a task but its address */
	uint32_t no_ctx;		    /* a task's sched_ctx before it has any */
	_Atomic uint32_t n_ctxs;	    /* contexts that had tasks: the largest number, + 1 */
	_Atomic uint32_t n_watching;	    /* threads that wait for some task to end, any one */
};
enum starpu_entry { STARPU_FUNCTIONS(CALL_ENTRY) STARPU_VARIADICS(CALL_ENTRY) ENTRY_callback };
CALL_DECLARE(starpu)

/* A task whose submission is under way on this thread. */
struct starpu_submission {
	void *task;
	struct callsite *callsite;
	uint64_t entry_ticks,
		entry_head; /* when it began, and after which of the worker's events */
	record_id creator;
	bool created;
	bool alone; /* by a thread of StarPU's between two tasks: the creator ends with it */
};

/* State of this thread. */
struct starpu_thread {
	struct starpu_submission *submission; /* the innermost */
	bool closed;   /* a wrapper has ended the strand of the task at hand */
	bool starting; /* within _starpu_driver_start_job() */
	bool member;   /* runs a parallel task's code, not as the first */
	/* Of the call that is about to submit a task from within StarPU. */
	uintptr_t return_address;
	uintptr_t job; /* whose code runs here, 0 for none; and its task */
	void *task;
	record_id below;   /* what ran on this thread before */
	void *called_back; /* the task that ended last here, if it has a callback: this one */
	starpu_fn callback;
	const void *site_task; /* the site that is being made is of this task */
};
extern __thread struct starpu_thread starpu_thread __attribute__((tls_model("initial-exec")))
CALL_HIDDEN;

/*
 * The worker to record on in a function that the program calls, or NULL: also when the call comes
 * from within another wrapper, or from StarPU's own thread between two tasks.
 */
static inline struct worker *starpu_worker(const struct callsite *callsite)
{
	struct worker *worker = callsite_worker(callsite);

	if (!worker || starpu_thread.closed)
		return NULL;
	if (!worker->task && starpu_of(callsite)->starpu_worker_get_id() >= 0)
		return NULL;
	return worker;
}

/* The strand of the task at hand has ended; what StarPU calls meanwhile is not the program's. */
static inline struct stay starpu_leave(struct worker *worker)
{
	starpu_thread.closed = true;
	return stay_keep(worker);
}

static inline void starpu_return(const struct stay *stay)
{
	starpu_thread.closed = false;
	stay_resume(stay);
}

/* ---- starpu_depend.c ---- */

static inline void starpu_depend_put(struct worker *worker, uint64_t name, enum wire_depend type)
{
	record_detail(worker, WIRE_DEPEND, depend_make(name, type));
}

/* Writes the WIRE_DEPEND events of a task that is being created, those of its data or not. */
void starpu_depends(struct starpu *s, struct worker *worker, const void *task,
		    bool data) CALL_HIDDEN;
/* Signals those whose end the end of this task is a part of. */
void starpu_end_others(struct worker *worker, const void *task) CALL_HIDDEN;

/* Keeps a word of a task, tag or handle by a name of that, and takes one back (memo.h). */
void starpu_keep(uint64_t key, uint64_t word) CALL_HIDDEN;
uint64_t starpu_take(uint64_t key) CALL_HIDDEN;

/* ---- starpu_wait.c ---- */

/* The scheduling context that the thread is in. */
static inline uint32_t starpu_ctx(const struct starpu *s)
{
	return s->starpu_sched_ctx_get_context ? s->starpu_sched_ctx_get_context() : s->no_ctx;
}
