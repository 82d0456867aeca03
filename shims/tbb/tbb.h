/* SPDX-License-Identifier: MIT */
/*
 * tbb.h - what the wrappers of oneTBB's entry points share.
 *
 * Programs hand over tasks as objects with virtual functions, mostly made by templates in
 * oneTBB's headers; libtbb calls execute() or cancel() of them through their vtable, always.
 * When a task is handed over its vtable pointer is turned to our copy of the vtable, where these
 * two are our own; when it begins it gets its own back.  So a task whose vtable pointer is a copy
 * is one that was created and has not begun, whoever handed it over.
 *
 *	context	a tbb::task_group_context: what cancels a group of tasks.  It stands for the group:
 *		who waits names it, and there is no other link from a task to whom waits for it
 *	bypass	execute() may return the next task to be run, instead of spawning it
 *
 * A wait runs other tasks on top of the waiting one; and when a task suspends itself, its thread
 * goes on on another stack, and others may take up this one.  So while a call is inside libtbb,
 * worker->task is 0, and who called is kept in the wrapper's frame.
 */
#pragma once

#include "shims/common/aside_pool.h"
#include "shims/common/wrap.h"
#include "shims/tbb/nodes/tbb_object.h"

#include "shims/tbb/tbb_functions.h"

/* As those of callsite.h, for functions whose names are not those of C. */
#define TBB_POINTER(result, name, symbol, parameters) CALL_POINTER(result, name, parameters)
#define TBB_WRAPPER(result, name, symbol, parameters)                                              \
	DOOR_BEHIND(result, tbb_##name, symbol, parameters)
#define TBB_DOOR(result, name, symbol, parameters) DOOR(symbol, tbb_##name)
#define TBB_ENTRY(result, name, symbol, parameters) CALL_ENTRY(result, name, parameters)
#define TBB_SYMBOL(result, name, symbol, parameters) symbol,

struct tbb {
	struct instance head;
	TBB_FUNCTIONS(TBB_POINTER)
	TBB_ASKED(TBB_POINTER)
	struct segment text;
	bool callback_first;   /* suspend() calls back before it leaves the task's stack */
	_Atomic size_t tokens; /* the fewest of a pipeline that were told */
	_Atomic bool counted;  /* how many workers there are was told, and is so still */
};
enum tbb_entry { TBB_FUNCTIONS(TBB_ENTRY) ENTRY_bypass };
CALL_DECLARE(tbb)

/* The instance that ran tasks on this thread last; NULL before the first. */
extern __thread struct tbb *tbb_here CALL_HIDDEN __attribute__((tls_model("initial-exec")));

/* Tells how many workers the arena has; NULL: the one that this thread is in. */
void tbb_count(struct tbb *tbb, const void *arena) CALL_HIDDEN;

static inline void tbb_counted(struct tbb *tbb)
{
	if (__builtin_expect(!atomic_load_explicit(&tbb->counted, memory_order_relaxed), 0))
		tbb_count(tbb, NULL);
}

/* How often this process is a child of fork(): frames from before know what is the parent's. */
extern uint32_t tbb_forks CALL_HIDDEN;

/* ---- a call into libtbb ---- */

/* The caller of a wrapper.  All zero: it is not recorded. */
struct caller {
	record_id task;
	uint32_t forks;
	uint16_t left; /* its worker then: the index */
	bool passing;  /* the thread was in no task: its root is for this call only */
};
_Static_assert(WIRE_WORKERS <= 1u << 16, "an index fits");

/* Ends the call, on whatever thread it returns or throws: the task goes on. */
void caller_leave(struct caller *caller) CALL_HIDDEN;
#define CALLER __attribute__((cleanup(caller_leave), unused)) struct caller

/* What is needed when a task is over. */
struct run {
	struct tbb_execution *execution;
	const struct vtable *vtable; /* the copy */
	record_id below;	     /* was the worker's when the task began: .. */
	uint32_t forks;
	bool ran; /* .. and it ran, as in a call that we do not know and that runs tasks */
};

/* What is kept of a call inside of which tasks may run, or of one that runs a task.  It may return
 * on another thread. */
struct tbb_aside {
	struct aside head;
	union {
		struct caller caller;
		struct run run;
	};
};

extern struct pool tbb_aside_pool CALL_HIDDEN;

/* Hot path: counted as a lost call if there is no memory: NULL. */
static inline struct tbb_aside *tbb_aside_open(struct worker *worker,
					       void *(*back)(struct aside *aside, void *returned))
{
	return aside_open(&tbb_aside_pool, pool_place(worker, POOL_TBB), worker, back);
}

/* Hot path: on a thread that is not recorded it is lost. */
static inline void tbb_aside_close(struct worker *worker, struct tbb_aside *aside)
{
	if (__builtin_expect(worker != NULL, 1))
		aside_close(&tbb_aside_pool, pool_place(worker, POOL_TBB), worker, &aside->head);
}

/* The back() of a call that a task, or a thread in none, makes: aside->caller goes on. */
void *caller_back(struct aside *aside, void *returned) CALL_HIDDEN;

/* A root for a thread that is in no task: whether it is for this call only. */
bool caller_root(struct worker *worker) CALL_HIDDEN;

/* Hot path: before the event that ends the strand. */
static inline struct caller caller_enter(struct worker *worker)
{
	bool passing = __builtin_expect(!worker->task, 0) && caller_root(worker);

	return (struct caller){ worker->task, tbb_forks, (uint16_t)worker->index, passing };
}

/* Hot path: the call may run tasks on this thread. */
static inline void tbb_enter(const struct callsite *callsite, struct worker *worker)
{
	tbb_here = tbb_of(callsite);
	worker->task = 0;
}
