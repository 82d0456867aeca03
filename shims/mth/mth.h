/* SPDX-License-Identifier: MIT */
/*
 * mth.h - what the wrappers of MassiveThreads' entry points share.
 *
 * ABI facts: every task is a user-level thread with a stack of its own, 16 KiB perhaps, and may
 * go on on another OS thread after each call that blocks, yields or creates; also the program's
 * main one.  By default myth_create() runs the child at once and pushes its own caller, which
 * may be stolen: it returns when and where it was resumed.  [myth_sched_func.h]  The library
 * calls some of its own entry points (myth_cond_wait() calls myth_mutex_lock()); those calls are
 * part of one that is recorded.
 *
 *	handle	what the program knows a thread by, a pointer to its descriptor.  It is known to
 *		the creator when it goes on, and is used again when the thread was joined
 *	birth	what the task's first code needs to know: from its creation to its begin
 */
#pragma once

#include "shims/common/row.h"

typedef void *(*mth_func)(void *);

/* myth_thread_attr_t.  [myth.h] */
struct mth_attr {
	void *stack;
	size_t stack_bytes, guard_bytes;
	int detached, child_first;
	size_t custom_data_bytes;
	void *custom_data;
};

#include "shims/mth/mth_functions.h"

struct mth {
	struct instance head;
	MTH_FUNCTIONS(CALL_POINTER)
	MTH_ASKED(CALL_POINTER)
	_Atomic bool is_counted; /* its workers were made known */
};
enum mth_entry { MTH_FUNCTIONS(CALL_ENTRY) };
CALL_DECLARE(mth)

/* mth.c: makes the number of workers known; they may not run yet when the library is found. */
void mth_count_workers(struct mth *mth) CALL_HIDDEN;

/* ---- mth_run.c: our functions that the runtime gets in the place of the program's ---- */

struct birth {
	mth_func func; /* overwritten when it is free (pool.h) */
	void *arg;
	record_id id;
};

/* A birth for the task created next on this worker; NULL if there is no memory. */
struct birth *birth_new(struct worker *worker) CALL_HIDDEN;

/* Its task has begun on this worker, or will not. */
void birth_free(struct worker *worker, struct birth *birth) CALL_HIDDEN;

/* The runtime gets this as the task's function, with its birth as argument. */
void *birth_run(void *birth) CALL_HIDDEN CALLSITE_BODY;

/* myth_once() and the like get this as their `init`, of which this thread has the rest. */
void mth_once_run(void) CALL_HIDDEN CALLSITE_BODY;

struct mth_once {
	void (*init)(void);
	void *once;
	struct stay stay;
};
extern __thread struct mth_once mth_once __attribute__((tls_model("initial-exec"))) CALL_HIDDEN;

/* ---- creating ---- */

/* Hot path: the running task creates one, and leaves.  Fills in its birth. */
static inline struct stay mth_create(struct worker *worker, const struct callsite *callsite,
				     struct birth *birth, void *arg)
{
	birth->func = (mth_func)callsite->function;
	birth->arg = arg;
	birth->id = record_create(worker, callsite->site, 0);
	return stay_leave(worker);
}

/*
 * Hot path: the creator goes on, and knows the handle (NULL: it isn't to be used).  A task that
 * was not created after all is discarded.
 */
static inline void mth_created(const struct callsite *callsite, struct stay stay, void *handle)
{
	struct worker *worker = record_worker();

	if (__builtin_expect(worker && worker == stay.worker && handle, 1)) {
		record_resume_named(worker, stay.task, (uintptr_t)handle);
	} else if (worker) {
		stay_resume_from(worker, stay.worker, stay.task);
		if (handle)
			record_detail(worker, WIRE_NAME, (uintptr_t)handle);
	}
	if (__builtin_expect(
		    !atomic_load_explicit(&mth_of(callsite)->is_counted, memory_order_relaxed), 0))
		mth_count_workers(mth_of(callsite));
}
