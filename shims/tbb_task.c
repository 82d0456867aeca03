/* SPDX-License-Identifier: MIT */
/* tbb_task.c - tasks: handed over, run, cancelled.  The hot path of this shim. */
#include "shims/tbb.h"

#include "preload/poison.h"

/* What a task's frame has to know when the task is over. */
struct run {
	struct tbb_execution *execution;
	tbb_task_fn execute;
	struct tbb_task *next; /* the task that it returned */
	uint32_t forks;
	record_id below; /* was the worker's when the task began: .. */
	bool ran;	 /* .. and it ran, as in a call that we do not know and that runs tasks */
};

/*
 * Hot path: `task` is created by the running one; it ends that one's strand, at `ticks`.  The
 * bag is what its waiters will wait for.
 */
static inline void created(struct worker *worker, uint64_t ticks, uint32_t site,
			   struct tbb_task *task, const struct vtable *vtable, const void *bag)
{
	record_event_at(worker, ticks, WIRE_CREATE, site);
	record_next_id(worker);
	record_detail(worker, WIRE_NAME, (uintptr_t)task);
	record_detail(worker, WIRE_BAG, (uintptr_t)bag);
	task->vtable = vtable->word;
}

/* Hot path: a task is handed over; the caller's strand ends. */
static inline struct caller task_create(struct call *call, struct tbb_task *task, const void *bag,
					bool waits)
{
	struct caller caller = { 0 };
	struct worker *worker = call_worker_inside(call);
	const struct vtable *vtable;

	if (!worker)
		return caller;
	vtable = vtable_find(call, task->vtable);
	if (!vtable)
		return caller;
	caller_enter(&caller, worker);
	uint64_t ticks = record_ticks(worker);

	created(worker, ticks, call->site, task, vtable, bag);
	if (waits) {
		record_event_at(worker, ticks, WIRE_RESUME, caller.task);
		record_event_at(worker, ticks, WIRE_WAIT,
				call->site | (uint64_t)WIRE_WAIT_BAG << 32);
		record_detail(worker, WIRE_OBJECT, (uintptr_t)bag);
		tbb_enter(call, worker);
	}
	return caller;
}

#define CREATES(name, parameters, bag, arguments)                                                  \
	TBB_WRAPPER(name, parameters, arguments)                                                   \
	{                                                                                          \
		struct call *call = TBB_CALL_FROM(from, name, task->vtable);                       \
		CALLER caller = task_create(call, task, bag, false);                               \
                                                                                                   \
		tbb_of(call)->name arguments;                                                      \
		tbb_counted(tbb_of(call));                                                         \
	}

CREATES(spawn, (struct tbb_task * task, void *context), context, (task, context))
CREATES(spawn_to, (struct tbb_task * task, void *context, uint16_t slot), context,
	(task, context, slot))
CREATES(submit, (struct tbb_task * task, void *context, void *arena, uintptr_t critical), context,
	(task, context, arena, critical))
/* In the own context of an arena, by default this thread's: nobody waits for that. */
CREATES(enqueue, (struct tbb_task * task, void *arena), arena ? arena : tbb_of(call), (task, arena))
CREATES(enqueue_in, (struct tbb_task * task, void *context, void *arena), context,
	(task, context, arena))

TBB_WRAPPER(execute_and_wait,
	    (struct tbb_task * task, void *context, void *wait_context, void *wait_group),
	    (task, context, wait_context, wait_group))
{
	struct call *call = TBB_CALL_FROM(from, execute_and_wait, task->vtable);
	CALLER caller = task_create(call, task, context, true);

	tbb_of(call)->execute_and_wait(task, context, wait_context, wait_group);
	tbb_counted(tbb_of(call));
}

/*
 * Hot path: the running task returns another one, which is run next.  Where a task was created
 * is told by an address: here, one in the code that returned it.
 */
static inline void bypassed(struct run *run, struct worker *worker, uint64_t ticks)
{
	const uintptr_t *original = run->next->vtable;
	struct call *call = call_find((void *)((uintptr_t)run->execute + 1), (void *)original,
				      TBB_ENTRY_BYPASS);
	const struct vtable *vtable = call->site ? vtable_find(call, original) : NULL;

	if (!vtable)
		return;
	created(worker, ticks, call->site, run->next, vtable, run->execution->context);
	record_event_at(worker, ticks, WIRE_RESUME, worker->task);
}

/* Hot path: the task is over, by return or exception, and its object gone. */
static __attribute__((noinline)) void run_leave(struct run *run)
{
	struct worker *worker = worker_self();
	uint64_t ticks;

	if (!worker || run->forks != tbb_forks)
		return;
	ticks = record_ticks(worker);
	if (run->next)
		bypassed(run, worker, ticks);
	record_event_at(worker, ticks, WIRE_END, 0);
	worker->task = run->below;
	if (__builtin_expect(run->ran, 0))
		record_resume_from(worker, NULL, run->below);
}

/* Hot path: in the place of execute(). */
struct tbb_task *tbb_execute(struct tbb_task *task, struct tbb_execution *execution)
{
	const struct vtable *vtable = vtable_of(task->vtable);
	struct worker *worker = record_worker();

	task->vtable = vtable->original;
	if (!worker)
		return vtable->execute(task, execution);
	struct run run __attribute__((cleanup(run_leave))) = { .execution = execution,
							       .execute = vtable->execute,
							       .forks = tbb_forks,
							       .below = worker->task };

	tbb_here = vtable->tbb;
	if (__builtin_expect(run.below != 0, 0)) {
		run.ran = worker_state(worker) == WORKER_INSIDE;
		if (run.ran)
			record_event(worker, WIRE_YIELD, vtable->site);
	}
	record_start(worker, (uintptr_t)task);
	run.next = vtable->execute(task, execution);
	return run.next;
}

/* In the place of cancel(): the task will never run. */
struct tbb_task *tbb_cancel(struct tbb_task *task, struct tbb_execution *execution)
{
	const struct vtable *vtable = vtable_of(task->vtable);
	struct worker *worker = record_worker();

	task->vtable = vtable->original;
	if (worker)
		record_event(worker, WIRE_DISCARD_NAMED, (uintptr_t)task);
	return vtable->cancel(task, execution);
}

struct tbb_task *tbb_execute_only(struct tbb_task *task, struct tbb_execution *execution)
{
	const struct vtable *vtable = vtable_of(task->vtable);

	task->vtable = vtable->original;
	return vtable->execute(task, execution);
}

struct tbb_task *tbb_cancel_only(struct tbb_task *task, struct tbb_execution *execution)
{
	const struct vtable *vtable = vtable_of(task->vtable);

	task->vtable = vtable->original;
	return vtable->cancel(task, execution);
}
