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

#include "shims/call.h"

struct tbb_execution;
struct tbb_task;
struct tbb_delegate;
typedef struct tbb_task *(*tbb_task_fn)(struct tbb_task *task, struct tbb_execution *execution);
typedef bool (*tbb_delegate_fn)(const struct tbb_delegate *delegate);
typedef void (*tbb_suspend_fn)(void *data, void *point);

enum tbb_vtable { /* Itanium C++ ABI: words from where the vtable pointer points */
		  TBB_VTABLE_TYPE = -1,
		  TBB_VTABLE_DESTROY = 0, /* and 1 */
		  TBB_VTABLE_EXECUTE = 2,
		  TBB_VTABLE_CANCEL = 3,
};

struct tbb_task { /* tbb::detail::d1::task */
	const uintptr_t *vtable;
};

struct tbb_execution { /* tbb::detail::d1::execution_data */
	void *context;
};

struct tbb_delegate { /* tbb::detail::d1::delegate_base: operator(), then its destructors */
	const tbb_delegate_fn *vtable;
};

#include "shims/tbb_functions.h"

struct tbb {
	struct call_copy head;
#define TBB_WRAPPED(name, symbol, parameters) void(*name) parameters;
#define TBB_ASKED(result, name, symbol, parameters) result(*name) parameters;
	TBB_WRAPPERS TBB_QUESTIONS
#undef TBB_WRAPPED
#undef TBB_ASKED
		struct segment text;
	bool callback_first;  /* suspend() calls back before it leaves the task's stack */
	_Atomic bool counted; /* how many workers there are was told, and is so still */
};

/* The wrappers themselves. */
#define TBB_WRAPPED(name, symbol, parameters)                                                      \
	CALL_EXPORT void tbb_##name parameters __asm__(symbol);
TBB_WRAPPERS
#undef TBB_WRAPPED

enum tbb_entry {
#define TBB_WRAPPED(name, symbol, parameters) TBB_ENTRY_##name,
	TBB_WRAPPERS
#undef TBB_WRAPPED
		TBB_ENTRY_BYPASS
};

static inline struct tbb *tbb_of(const struct call *call)
{
	return call->copy;
}

#define TBB_CALL(name, function) TBB_CALL_FROM(__builtin_return_address(0), name, function)
#define TBB_CALL_FROM(from, name, function)                                                        \
	call_find(from, (void *)(uintptr_t)(function), TBB_ENTRY_##name)

/*
 * Hot path: a wrapper that passes the call on at once if nothing is recorded.  What follows is the
 * body for when something is; it is a function of its own, or its registers would be saved first.
 */
#define TBB_BARE(...) __VA_ARGS__
#define TBB_WRAPPER(name, parameters, arguments)                                                   \
	static void name##_recorded(void *from, TBB_BARE parameters);                              \
	CALL_EXPORT void tbb_##name parameters                                                     \
	{                                                                                          \
		const struct tbb *off = call_off();                                                \
                                                                                                   \
		if (__builtin_expect(off != NULL, 0))                                              \
			off->name arguments;                                                       \
		else                                                                               \
			name##_recorded(__builtin_return_address(0), TBB_BARE arguments);          \
	}                                                                                          \
	static __attribute__((noinline)) void name##_recorded(void *from, TBB_BARE parameters)

/* The copy that ran tasks on this thread last; NULL before the first. */
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

/* Who called.  All zero: nobody who is recorded. */
struct caller {
	record_id task;
	const struct worker *left; /* where its strand ended */
	uint32_t forks;
	bool passing; /* the thread was in no task: its root is for this call only */
};

/* Ends the call, on whatever thread it returns or throws: the task goes on. */
void caller_leave(struct caller *caller) CALL_HIDDEN;
#define CALLER __attribute__((cleanup(caller_leave), unused)) struct caller

void caller_root(struct caller *caller, struct worker *worker) CALL_HIDDEN;

/* Hot path: before the event that ends the strand. */
static inline void caller_enter(struct caller *caller, struct worker *worker)
{
	if (__builtin_expect(!worker->task, 0))
		caller_root(caller, worker);
	caller->task = worker->task;
	caller->left = worker;
	caller->forks = tbb_forks;
}

/* Hot path: the call may run tasks on this thread. */
static inline void tbb_enter(const struct call *call, struct worker *worker)
{
	tbb_here = tbb_of(call);
	worker->task = 0;
}

/* ---- vtables ---- */

#define TBB_WORDS_BEFORE 16 /* of a vtable: offsets of virtual bases, and what is in all */
#define TBB_WORDS 64

/* Our copy of a vtable. */
struct vtable {
	const uintptr_t *original;
	tbb_task_fn execute, cancel;
	struct tbb *tbb;
	uint32_t site;		    /* of the task that it was first seen with */
	const struct vtable *again; /* the same for tbb_again.c's objects; NULL: none was seen */
	uintptr_t before[TBB_WORDS_BEFORE];
	uintptr_t word[TBB_WORDS];
};

/*
 * The copy for tasks that this call hands over, now with this vtable; NULL if it is a copy
 * itself or there is no room for more.  May take a lock, the first time.
 */
const struct vtable *vtable_slow(struct call *call, const uintptr_t *original) CALL_HIDDEN;

/* In a forked child: tasks that were created before are run unrecorded. */
void vtable_forget(void) CALL_HIDDEN;

bool vtable_is_copy(const uintptr_t *word) CALL_HIDDEN;

/* Hot path: of a copy's words, the copy. */
static inline const struct vtable *vtable_of(const uintptr_t *word)
{
	return (const struct vtable *)((const char *)word - offsetof(struct vtable, word));
}

/* The type as typeid().name() gives it; NULL if there is none. */
const char *vtable_type_name(const uintptr_t *original) CALL_HIDDEN;

extern _Atomic(const struct vtable *) vtable_of_call[CALL_TABLE] CALL_HIDDEN;

/*
 * Hot path: whether this is a copy of what is there now.  Another vtable may have come to that
 * address: that of a plugin, loaded where another one was.
 */
static inline bool vtable_is_of(const struct vtable *vtable, const uintptr_t *original)
{
	return vtable->original == original &&
	       (uintptr_t)vtable->execute == original[TBB_VTABLE_EXECUTE] &&
	       (uintptr_t)vtable->cancel == original[TBB_VTABLE_CANCEL] &&
	       vtable->word[TBB_VTABLE_DESTROY] == original[TBB_VTABLE_DESTROY] &&
	       vtable->before[TBB_WORDS_BEFORE - 1] == original[TBB_VTABLE_TYPE];
}

/* Hot path: as vtable_slow(). */
static inline const struct vtable *vtable_find(struct call *call, const uintptr_t *original)
{
	size_t n = (size_t)(call - call_calls.table);

	if (__builtin_expect(n < CALL_TABLE, 1)) {
		const struct vtable *vtable =
			atomic_load_explicit(&vtable_of_call[n], memory_order_acquire);

		if (__builtin_expect(vtable && vtable_is_of(vtable, original), 1))
			return vtable;
	}
	return vtable_slow(call, original);
}

/* Another copy of it, whose tasks are in tbb_again.c's table; NULL if there is no room. */
const struct vtable *vtable_again(const struct vtable *vtable) CALL_HIDDEN;

/* ---- objects that are handed over again before they have run ---- */

/*
 * The name of the task that this becomes; 0: there is no room for it.  `vtable`: any copy of its
 * own.  Between the two calls below, as is the record of its creation.
 */
uint64_t again_name(struct tbb_task *task, const struct vtable *vtable) CALL_HIDDEN;
void again_acquire(void) CALL_HIDDEN;
void again_release(void) CALL_HIDDEN;

/* The name of the task that runs or is cancelled now; 0: none that was created. */
uint64_t again_run(struct tbb_task *task, const struct vtable *vtable) CALL_HIDDEN;

/* In a forked child. */
void again_forget(void) CALL_HIDDEN;

/* tbb_task.c: what stands in a copy instead. */
struct tbb_task *tbb_execute(struct tbb_task *task, struct tbb_execution *execution) CALL_HIDDEN;
struct tbb_task *tbb_cancel(struct tbb_task *task, struct tbb_execution *execution) CALL_HIDDEN;
struct tbb_task *tbb_execute_again(struct tbb_task *task,
				   struct tbb_execution *execution) CALL_HIDDEN;
struct tbb_task *tbb_cancel_again(struct tbb_task *task,
				  struct tbb_execution *execution) CALL_HIDDEN;
struct tbb_task *tbb_execute_only(struct tbb_task *task,
				  struct tbb_execution *execution) CALL_HIDDEN;
struct tbb_task *tbb_cancel_only(struct tbb_task *task,
				 struct tbb_execution *execution) CALL_HIDDEN;

/* tbb.c: the site of a call that hands over a task with this vtable. */
uint32_t tbb_site(void *copy, uintptr_t return_address, uintptr_t vtable) CALL_HIDDEN;
