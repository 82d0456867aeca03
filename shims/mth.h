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

#include "shims/call.h"

typedef void *(*mth_func)(void *);

/* myth_thread_attr_t.  [myth.h] */
struct mth_attr {
	void *stack;
	size_t stack_bytes, guard_bytes;
	int detached, child_first;
	size_t custom_data_bytes;
	void *custom_data;
};

/* The real functions: MTH_FUNCTION(result, name, parameters). */
#include "shims/mth_functions.h"

struct mth {
	struct call_copy head;
#define MTH_FUNCTION(result, name, parameters) result(*name) parameters;
	MTH_FUNCTIONS
#undef MTH_FUNCTION
	struct segment code;	 /* the library's */
	const char *file;	 /* its name */
	_Atomic bool is_counted; /* its workers were made known */
};

/* The wrappers themselves. */
#define MTH_FUNCTION(result, name, parameters) CALL_EXPORT result name parameters;
MTH_FUNCTIONS
#undef MTH_FUNCTION

enum mth_entry {
#define MTH_FUNCTION(result, name, parameters) ENTRY_##name,
	MTH_FUNCTIONS
#undef MTH_FUNCTION
		MTH_ENTRIES
};

static inline struct mth *mth_of(const struct call *call)
{
	return call->copy;
}

#define MTH_CALL(name, function) MTH_CALL_FROM(__builtin_return_address(0), name, function)
#define MTH_CALL_FROM(from, name, function) call_find(from, (void *)(function), ENTRY_##name)

/*
 * Hot path: a wrapper that passes the call on at once if nothing is recorded.  What follows is the
 * body for when something is; it is a function of its own, or its registers would be saved first.
 */
#define MTH_BARE(...) __VA_ARGS__
#define MTH_WRAPPER(result, name, parameters, arguments)                                           \
	static result name##_recorded(void *from, MTH_BARE parameters);                            \
	CALL_EXPORT result name parameters                                                         \
	{                                                                                          \
		const struct mth *off = call_off();                                                \
                                                                                                   \
		if (__builtin_expect(off != NULL, 0))                                              \
			return off->name arguments;                                                \
		return name##_recorded(__builtin_return_address(0), MTH_BARE arguments);           \
	}                                                                                          \
	static __attribute__((noinline)) result name##_recorded(void *from, MTH_BARE parameters)

/* Of our functions that call the program's: mth.c must tell them from the wrappers. */
#define MTH_BODY __attribute__((noinline, section("mth_body")))

/* mth.c: makes the number of workers known; they may not run yet when the library is found. */
void mth_count_workers(struct mth *mth) CALL_HIDDEN;

/* mth_birth.c */
struct birth {
	mth_func func; /* overwritten when it is free (pool.h) */
	void *arg;
	record_id id;
};

/* A birth for the task created next on this worker; NULL if there is no memory. */
struct birth *birth_new(struct worker *worker) CALL_HIDDEN;

/* Its task has begun on this worker, or will not. */
void birth_free(struct worker *worker, struct birth *birth) CALL_HIDDEN;

/* What the runtime is handed as the task's function, with its birth as argument. */
void *birth_run(void *birth) CALL_HIDDEN MTH_BODY;

/* A task that leaves its thread, and which. */
struct mth_self {
	record_id task;
	const struct worker *left;
};

/* Hot path: the running task leaves this thread, perhaps for good. */
static inline struct mth_self mth_leave(struct worker *worker)
{
	struct mth_self self = { worker->task, worker };

	worker->task = 0;
	return self;
}

/* Hot path: it goes on, on whatever thread this is now. */
static inline void mth_resume(struct mth_self self)
{
	struct worker *worker = record_worker();

	if (worker)
		record_resume_from(worker, self.left, self.task);
}

/* Hot path: its code is done, on whatever thread this is now; it may be one that isn't recorded. */
static inline void mth_end(void)
{
	struct worker *worker = worker_self();

	if (__builtin_expect(worker != NULL, 1))
		record_end(worker, 0);
}

/* Hot path: the running task creates one, and leaves.  Fills in its birth. */
static inline struct mth_self mth_create(struct worker *worker, const struct call *call,
					 struct birth *birth, void *arg)
{
	birth->func = (mth_func)call->function;
	birth->arg = arg;
	birth->id = record_create(worker, call->site, 0);
	return mth_leave(worker);
}

/*
 * Hot path: the creator goes on, and knows the handle (NULL: it isn't to be used).  A task that
 * was not created after all is discarded.
 */
static inline void mth_created(const struct call *call, struct mth_self self, void *handle)
{
	struct worker *worker = record_worker();

	if (worker) {
		record_resume_from(worker, self.left, self.task);
		if (handle)
			record_detail(worker, WIRE_NAME, (uintptr_t)handle);
	}
	if (__builtin_expect(!atomic_load_explicit(&mth_of(call)->is_counted, memory_order_relaxed),
			     0))
		mth_count_workers(mth_of(call));
}

/*
 * A wrapper whose call may block or move: `wait` ends the strand, and the task goes on when the
 * real function is back.
 */
#define MTH_WAITS(result, name, parameters, wait, arguments)                                       \
	CALL_EXPORT result name parameters MTH_WAITING(result, __builtin_return_address(0), name,  \
						       wait, arguments)
#define MTH_WAITS_OR_PASSES(result, name, parameters, wait, arguments)                             \
	MTH_WRAPPER(result, name, parameters, arguments)                                           \
	MTH_WAITING(result, from, name, wait, arguments)
#define MTH_WAITING(result, from, name, wait, arguments)                                           \
	{                                                                                          \
		struct call *call = MTH_CALL_FROM(from, name, NULL);                               \
		struct worker *worker = call_worker(call);                                         \
                                                                                                   \
		if (!worker)                                                                       \
			return mth_of(call)->name arguments;                                       \
		wait;                                                                              \
		struct mth_self self = mth_leave(worker);                                          \
		result returned = mth_of(call)->name arguments;                                    \
                                                                                                   \
		mth_resume(self);                                                                  \
		return returned;                                                                   \
	}
#define MTH_WAITS_VOID(name, parameters, wait, arguments)                                          \
	CALL_EXPORT void name parameters                                                           \
	{                                                                                          \
		struct call *call = MTH_CALL(name, NULL);                                          \
		struct worker *worker = call_worker(call);                                         \
                                                                                                   \
		if (!worker) {                                                                     \
			mth_of(call)->name arguments;                                              \
			return;                                                                    \
		}                                                                                  \
		wait;                                                                              \
		struct mth_self self = mth_leave(worker);                                          \
                                                                                                   \
		mth_of(call)->name arguments;                                                      \
		mth_resume(self);                                                                  \
	}

/* What a wrapper does first, in `wait` above. */
#define MTH_UNTIL(kind, object)                                                                    \
	record_wait_for(worker, call->site, WIRE_WAIT_##kind, (uintptr_t)(object))
#define MTH_SIGNALS(object) record_end_strand(worker, WIRE_SIGNAL, (uintptr_t)(object))
#define MTH_YIELDS record_end_strand(worker, WIRE_YIELD, call->site)
