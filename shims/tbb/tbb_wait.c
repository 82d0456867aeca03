/* SPDX-License-Identifier: MIT */
/* tbb_wait.c - where a task waits, is suspended, or goes on in an arena. */
#include "shims/tbb/tbb_pipe.h"
#include "shims/common/waiters.h"

#include "preload/poison.h"

TBB_IN_WAIT(TBB_WRAPPER)

/*
 * Hot path: the worker to record on.  libtbb calls these itself: in task_arena::execute(), and to
 * give a stack back to the thread that it belongs to.  That is no task's doing in a thread of none.
 */
static inline struct worker *worker_of(const struct callsite *callsite)
{
	struct worker *worker = callsite_worker_inside(callsite);
	bool is_own = worker && !worker->task &&
		      segment_has(&tbb_of(callsite)->text, callsite->return_address);

	return is_own ? NULL : worker;
}

/* Hot path: the calling task waits for a bag, say. */
static inline struct caller wait_begin(const struct callsite *callsite, struct worker *worker,
				       enum wire_wait kind, const void *object)
{
	struct caller caller = caller_enter(worker);

	record_wait_for(worker, callsite->site, kind, (uintptr_t)object);
	tbb_enter(callsite, worker);
	return caller;
}

/* Hot path: tasks run inside. */
void tbb_wait(void *wait_context, void *context)
{
	struct callsite *callsite = CALLSITE(tbb, wait, NULL);
	struct worker *worker = worker_of(callsite);
	struct tbb_aside *aside = NULL;

	if (worker)
		aside = tbb_aside_open(worker, caller_back);
	if (aside)
		aside->caller = wait_begin(callsite, worker, WIRE_WAIT_BAG, context);
	aside_call(wait_context, context, NULL, NULL, (struct aside *)aside,
		   (aside_fn *)(uintptr_t)tbb_of(callsite)->wait);
}

void tbb_wait_arena(void *arena)
{
	struct callsite *callsite = CALLSITE(tbb, wait_arena, NULL);
	struct worker *worker = worker_of(callsite);
	CALLER caller = { 0 };

	if (worker)
		caller = wait_begin(callsite, worker, WIRE_WAIT_BAG, arena);
	tbb_of(callsite)->wait_arena(arena);
}

/* ---- a thread that blocks ---- */

/* Where libtbb itself blocks, its thread runs no strand. */
#define BLOCKS(name, parameters, arguments, object)                                                \
	void tbb_##name parameters                                                                 \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(tbb, name, NULL);                             \
		struct worker *worker = callsite->site ? waiting_worker() : NULL;                  \
		WAITING waiting = { 0 };                                                           \
                                                                                                   \
		if (worker)                                                                        \
			waiting = waiting_begin(worker, record_ticks(worker), callsite->site,      \
						WIRE_WAIT_ADDRESS, object);                        \
		tbb_of(callsite)->name arguments;                                                  \
	}

/* Hot path, but for name_else(). */
#define INNER(...) __VA_ARGS__
#define WAKES(name, parameters, arguments, object)                                                 \
	static __attribute__((noinline)) void tbb_##name##_else(void *from, INNER parameters)      \
	{                                                                                          \
		struct callsite *callsite = CALLSITE_FROM(from, tbb, name, NULL);                  \
		struct worker *worker =                                                            \
			callsite->site && waiting_for(object) ? waiting_worker() : NULL;           \
		struct waiting released = { 0 };                                                   \
                                                                                                   \
		if (worker)                                                                        \
			released = waiting_release(worker, object);                                \
		tbb_of(callsite)->name arguments;                                                  \
		waiting_released(&released);                                                       \
	}                                                                                          \
	void tbb_##name parameters                                                                 \
	{                                                                                          \
		const struct callsite *callsite = CALLSITE_AT_HAND(tbb, name, NULL);               \
                                                                                                   \
		if (__builtin_expect(callsite && !waiting_for(object), 1))                         \
			tbb_of(callsite)->name arguments;                                          \
		else                                                                               \
			tbb_##name##_else(__builtin_return_address(0), INNER arguments);           \
	}

/* A bounded queue has two monitors: for a place that is free, and for one that is not. */
#define MONITOR ((const char *)monitors + tag)

BLOCKS(wait_on_address, (void *address, struct tbb_delegate *predicate, uintptr_t context),
       (address, predicate, context), address)
WAKES(notify_by_address, (void *address, uintptr_t context), (address, context), address)
WAKES(notify_by_address_all, (void *address), (address), address)
WAKES(notify_by_address_one, (void *address), (address), address)
BLOCKS(wait_queue, (void *monitors, size_t tag, ptrdiff_t target, struct tbb_delegate *predicate),
       (monitors, tag, target, predicate), MONITOR)
WAKES(notify_queue, (void *monitors, size_t tag, size_t ticket), (monitors, tag, ticket), MONITOR)

/* ---- arenas ---- */

/*
 * libtbb gets this in place of the program's function object.  The calling task goes on in it, on
 * another thread if the arena had no room for this one.
 */
struct delegate {
	struct tbb_delegate head;
	const struct tbb_delegate *real;
	const struct callsite *callsite;
	record_id task;
};

struct visit {
	const struct delegate *delegate;
	record_id below;
	uint32_t forks;
};

static void visit_end(struct visit *visit)
{
	struct worker *worker = worker_self();

	if (!worker || visit->forks != tbb_forks)
		return;
	record_event(worker, WIRE_YIELD, visit->delegate->callsite->site);
	worker->task = visit->below;
	if (visit->below)
		record_resume(worker, visit->below);
}

static bool delegate_run(const struct tbb_delegate *head)
{
	const struct delegate *delegate = (const struct delegate *)head;
	struct worker *worker = record_worker();

	if (!worker)
		return delegate->real->vtable[0](delegate->real);
	struct visit visit
		__attribute__((cleanup(visit_end))) = { delegate, worker->task, tbb_forks };

	if (visit.below)
		record_event(worker, WIRE_YIELD, delegate->callsite->site);
	tbb_here = tbb_of(delegate->callsite);
	stay_resume_from(worker, NULL, delegate->task);
	return delegate->real->vtable[0](delegate->real);
}

static void delegate_destroy(const struct tbb_delegate *head)
{
}

/* As the compiler lays one out: two words before, operator(), two destructors. */
static const struct {
	uintptr_t before[2];
	tbb_delegate_fn run;
	void (*destroy[2])(const struct tbb_delegate *head);
} delegate_vtable = { .run = delegate_run, .destroy = { delegate_destroy, delegate_destroy } };

void tbb_execute_in(void *arena, struct tbb_delegate *real)
{
	struct callsite *callsite = CALLSITE(tbb, execute_in, NULL);
	struct worker *worker = callsite_worker_inside(callsite);
	CALLER caller = { 0 };
	struct delegate delegate = { { &delegate_vtable.run }, real, callsite, 0 };

	if (worker) {
		caller = caller_enter(worker);
		record_event(worker, WIRE_YIELD, callsite->site);
		delegate.task = caller.task;
		tbb_enter(callsite, worker);
	}
	tbb_of(callsite)->execute_in(arena, worker ? &delegate.head : real);
	tbb_counted(tbb_of(callsite));
}

/* Its tasks and its wait are those of calls that libtbb makes inside. */
void tbb_parallel_pipeline(void *context, size_t tokens, const void *filters)
{
	struct callsite *callsite = CALLSITE(tbb, parallel_pipeline, NULL);
	struct tbb *tbb = tbb_of(callsite);
	__attribute__((cleanup(pipe_close))) struct pipe pipe = { .n = pipe_count(filters) };
	struct pipe_filter filter[pipe.n];

	if (tokens < atomic_load_explicit(&tbb->tokens, memory_order_relaxed) && record_on()) {
		atomic_store_explicit(&tbb->tokens, tokens, memory_order_relaxed);
		record_runtime_tokens(tbb->head.runtime, (uint32_t)tokens);
	}
	pipe_open(&pipe, filter, tokens);
	tbb->parallel_pipeline(context, tokens, filters);
}

void tbb_initialize_arena(void *arena)
{
	struct callsite *callsite = CALLSITE(tbb, initialize_arena, NULL);

	tbb_of(callsite)->initialize_arena(arena);
	tbb_count(tbb_of(callsite), arena);
}

void tbb_create_control(void *control)
{
	struct callsite *callsite = CALLSITE(tbb, create_control, NULL);

	tbb_of(callsite)->create_control(control);
	atomic_store_explicit(&tbb_of(callsite)->counted, false, memory_order_relaxed);
}

/* ---- suspended tasks ---- */

struct suspension {
	tbb_suspend_fn callback;
	void *data;
	struct callsite *callsite;
	struct caller *caller;
};

static void suspended(const struct suspension *suspension, void *point)
{
	struct worker *worker = worker_of(suspension->callsite);

	if (worker)
		*suspension->caller =
			wait_begin(suspension->callsite, worker, WIRE_WAIT_NAMED, point);
}

/*
 * In the place of the program's callback, which tells others of the point: from then on it may
 * be resumed, though not run, before the task has left its stack.  Older versions leave that
 * first; then what is in its frames is good only until the callback has been called.
 */
static void suspend_callback(void *data, void *point)
{
	struct suspension suspension = *(struct suspension *)data;

	if (tbb_of(suspension.callsite)->callback_first) {
		suspension.callback(suspension.data, point);
		suspended(&suspension, point);
	} else {
		suspended(&suspension, point);
		suspension.callback(suspension.data, point);
	}
}

void tbb_suspend(tbb_suspend_fn callback, void *data)
{
	struct callsite *callsite = CALLSITE(tbb, suspend, NULL);
	CALLER caller = { 0 };
	struct suspension suspension = { callback, data, callsite, &caller };

	tbb_of(callsite)->suspend(suspend_callback, &suspension);
}

/* By any thread, mostly by one that runs no task: a strand of no length then. */
void tbb_resume(void *point)
{
	struct callsite *callsite = CALLSITE(tbb, resume, NULL);
	struct worker *worker = worker_of(callsite);
	CALLER caller = { 0 };

	if (worker) {
		bool passing = !worker->task;

		caller = caller_enter(worker);
		caller.passing = passing;
		record_event(worker, WIRE_SIGNAL, (uintptr_t)point);
	}
	tbb_of(callsite)->resume(point);
}
