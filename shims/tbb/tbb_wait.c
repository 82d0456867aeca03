/* SPDX-License-Identifier: MIT */
/* tbb_wait.c - where a task waits, is suspended, or goes on in an arena. */
#include "shims/tbb/tbb.h"
#include "shims/common/waiting.h"

#include "preload/poison.h"

TBB_IN_WAIT(TBB_WRAPPER)

/*
 * libtbb calls these itself: in task_arena::execute(), and to give a stack back to the thread that
 * it belongs to.  That is no task's doing, when the thread is in none.
 */
static bool is_own(const struct call *call, const struct worker *worker)
{
	return !worker->task && segment_has(&tbb_of(call)->text, call->return_address);
}

/* Hot path: the calling task waits for a bag. */
static inline struct caller wait_begin(struct call *call, const void *bag)
{
	struct caller caller = { 0 };
	struct worker *worker = call_worker_inside(call);

	if (!worker || is_own(call, worker))
		return caller;
	caller_enter(&caller, worker);
	record_wait_for(worker, call->site, WIRE_WAIT_BAG, (uintptr_t)bag);
	tbb_enter(call, worker);
	return caller;
}

/* All but what nearly every wait is. */
static __attribute__((noinline)) void wait_else(void *from, void *wait_context, void *context)
{
	struct call *call = CALL_FROM(from, tbb, wait, NULL);
	CALLER caller = wait_begin(call, context);

	tbb_of(call)->wait(wait_context, context);
	tbb_counted(tbb_of(call));
}

/* Tasks run inside: all that is done before is done by frames that are gone then. */
void tbb_wait(void *wait_context, void *context)
{
	void *from = __builtin_return_address(0);
	const struct call *call = call_at_hand(&tbb_calls, from, NULL, ENTRY_wait);
	struct worker *worker = worker_self();
	struct store store = { 0 };

	if (__builtin_expect(call && call->site && worker && worker->task && caller_fits(worker),
			     1))
		store = worker_enter(worker, WORKER_INSIDE, 2);
	if (!store.slot) {
		wait_else(from, wait_context, context);
		return;
	}
	record_id task = worker->task;

	worker_fill_now(store.slot, WIRE_WAIT, site_make(call->site, WIRE_WAIT_BAG));
	worker_fill(store.slot + 1, WIRE_OBJECT, (uintptr_t)context);
	worker_leave(worker, store, WORKER_OUTSIDE);
	tbb_enter(call, worker);
	caller_call(wait_context, context, NULL, NULL, caller_word(task),
		    (keep_fn *)(uintptr_t)tbb_of(call)->wait);
}

void tbb_wait_arena(void *arena)
{
	struct call *call = CALL(tbb, wait_arena, NULL);
	CALLER caller = wait_begin(call, arena);

	tbb_of(call)->wait_arena(arena);
}

/* ---- a thread that blocks ---- */

/* Where libtbb itself blocks, its thread runs no strand. */
#define BLOCKS(name, parameters, arguments, object)                                                \
	void tbb_##name parameters                                                                 \
	{                                                                                          \
		struct call *call = CALL(tbb, name, NULL);                                         \
		struct worker *worker = call->site ? waiting_worker() : NULL;                      \
		WAITING waiting = { 0 };                                                           \
                                                                                                   \
		if (worker)                                                                        \
			waiting = waiting_begin(worker, record_ticks(worker), call->site,          \
						WIRE_WAIT_ADDRESS, object);                        \
		tbb_of(call)->name arguments;                                                      \
	}

#define WAKES(name, parameters, arguments, object)                                                 \
	void tbb_##name parameters                                                                 \
	{                                                                                          \
		struct call *call = CALL(tbb, name, NULL);                                         \
		struct worker *worker = call->site ? waiting_releaser(object) : NULL;              \
		struct waiting released = { 0 };                                                   \
                                                                                                   \
		if (worker)                                                                        \
			released = waiting_release(worker, object);                                \
		tbb_of(call)->name arguments;                                                      \
		if (worker)                                                                        \
			waiting_released(&released);                                               \
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
	const struct call *call;
	record_id task;
};

struct stay {
	const struct delegate *delegate;
	record_id below;
	uint32_t forks;
};

static void stay_end(struct stay *stay)
{
	struct worker *worker = worker_self();

	if (!worker || stay->forks != tbb_forks)
		return;
	record_event(worker, WIRE_YIELD, stay->delegate->call->site);
	worker->task = stay->below;
	if (stay->below)
		record_resume(worker, stay->below);
}

static bool delegate_run(const struct tbb_delegate *head)
{
	const struct delegate *delegate = (const struct delegate *)head;
	struct worker *worker = record_worker();

	if (!worker)
		return delegate->real->vtable[0](delegate->real);
	struct stay stay __attribute__((cleanup(stay_end))) = { delegate, worker->task, tbb_forks };

	if (stay.below)
		record_event(worker, WIRE_YIELD, delegate->call->site);
	tbb_here = tbb_of(delegate->call);
	frame_resume_from(worker, NULL, delegate->task);
	return delegate->real->vtable[0](delegate->real);
}

static void delegate_destroy(const struct tbb_delegate *head)
{
	(void)head;
}

/* As the compiler lays one out: two words before, operator(), two destructors. */
static const struct {
	uintptr_t before[2];
	tbb_delegate_fn run;
	void (*destroy[2])(const struct tbb_delegate *head);
} delegate_vtable = { .run = delegate_run, .destroy = { delegate_destroy, delegate_destroy } };

void tbb_execute_in(void *arena, struct tbb_delegate *real)
{
	struct call *call = CALL(tbb, execute_in, NULL);
	struct worker *worker = call_worker_inside(call);
	CALLER caller = { 0 };
	struct delegate delegate = { { &delegate_vtable.run }, real, call, 0 };

	if (worker) {
		caller_enter(&caller, worker);
		record_event(worker, WIRE_YIELD, call->site);
		delegate.task = caller.task;
		tbb_enter(call, worker);
	}
	tbb_of(call)->execute_in(arena, worker ? &delegate.head : real);
	tbb_counted(tbb_of(call));
}

void tbb_initialize_arena(void *arena)
{
	struct call *call = CALL(tbb, initialize_arena, NULL);

	tbb_of(call)->initialize_arena(arena);
	tbb_count(tbb_of(call), arena);
}

void tbb_create_control(void *control)
{
	struct call *call = CALL(tbb, create_control, NULL);

	tbb_of(call)->create_control(control);
	atomic_store_explicit(&tbb_of(call)->counted, false, memory_order_relaxed);
}

/* ---- suspended tasks ---- */

struct suspension {
	tbb_suspend_fn callback;
	void *data;
	struct call *call;
	struct caller *caller;
};

static void suspended(const struct suspension *suspension, void *point)
{
	struct worker *worker = call_worker_inside(suspension->call);

	if (!worker || is_own(suspension->call, worker))
		return;
	caller_enter(suspension->caller, worker);
	record_wait_for(worker, suspension->call->site, WIRE_WAIT_NAMED, (uintptr_t)point);
	tbb_enter(suspension->call, worker);
}

/*
 * In the place of the program's callback, which tells others of the point: from then on it may
 * be resumed, though not run, before the task has left its stack.  Older versions leave that
 * first; then what is in its frames is good only until the callback has been called.
 */
static void suspend_callback(void *data, void *point)
{
	struct suspension suspension = *(struct suspension *)data;

	if (tbb_of(suspension.call)->callback_first) {
		suspension.callback(suspension.data, point);
		suspended(&suspension, point);
	} else {
		suspended(&suspension, point);
		suspension.callback(suspension.data, point);
	}
}

void tbb_suspend(tbb_suspend_fn callback, void *data)
{
	struct call *call = CALL(tbb, suspend, NULL);
	CALLER caller = { 0 };
	struct suspension suspension = { callback, data, call, &caller };

	tbb_of(call)->suspend(suspend_callback, &suspension);
}

/* By any thread, mostly by one that runs no task: a strand of no length then. */
void tbb_resume(void *point)
{
	struct call *call = CALL(tbb, resume, NULL);
	struct worker *worker = call_worker_inside(call);
	CALLER caller = { 0 };

	if (worker && !is_own(call, worker)) {
		caller.passing = !worker->task;
		if (caller.passing)
			record_root(worker);
		caller.task = worker->task;
		caller.left = (uint16_t)worker->index;
		caller.forks = tbb_forks;
		record_event(worker, WIRE_SIGNAL, (uintptr_t)point);
	}
	tbb_of(call)->resume(point);
}
