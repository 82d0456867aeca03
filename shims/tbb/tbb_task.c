/* SPDX-License-Identifier: MIT */
/*
 * tbb_task.c - tasks: handed over, run, cancelled.
 *
 * Hot path, a task: spawn, task_create_plain(), vtable_at_hand(), caller_leave(); tbb_execute(),
 * run_back(); and tbb_wait(), caller_back().
 */
#include "shims/tbb/nodes/tbb_flow.h"
#include "shims/tbb/tbb_pipe.h"
#include "shims/tbb/tbb_vtable.h"

#include "preload/poison.h"

TBB_IN_TASK(TBB_WRAPPER)

static struct tbb_task *tbb_execute(struct tbb_task *task, struct tbb_execution *execution);
static struct tbb_task *tbb_cancel(struct tbb_task *task, struct tbb_execution *execution);
static struct tbb_task *tbb_execute_only(struct tbb_task *task, struct tbb_execution *execution);
static struct tbb_task *tbb_cancel_only(struct tbb_task *task, struct tbb_execution *execution);
static const struct flow_ours flow_functions;

static const struct vtable_ours ours = { tbb_execute, tbb_cancel, tbb_execute_only,
					 tbb_cancel_only };

/* The site of a task whose body says more than its class. */
static __attribute__((noinline)) uint32_t body_site(const struct callsite *callsite,
						    const struct tbb_task *task, body_path path)
{
	uintptr_t body = BODY_IS_KNOWN(path) ? pipe_body(body_of(task, path)) : 0;
	uintptr_t from = atomic_load_explicit(&callsite->return_address, memory_order_relaxed);
	uint32_t site = 0;

	if (body && from) /* else the call has no entry of its own */
		site = callsite_find(&tbb_callsites, &tbb_runtime, (void *)from, (void *)body,
				     callsite->entry)
			       ->site;
	return site ? site : callsite->site;
}

/* Hot path: of a task that is created. */
static inline uint32_t task_site(const struct callsite *callsite, const struct tbb_task *task,
				 const struct vtable *vtable)
{
	body_path path = atomic_load_explicit(&vtable->body, memory_order_relaxed);

	return __builtin_expect(path, 0) ? body_site(callsite, task, path) : callsite->site;
}

/* A task whose class has a way to a body was created just now; `own` is the message that did it. */
static __attribute__((noinline)) void created_node(struct worker *worker,
						   const struct tbb_task *task, body_path path,
						   const void *context,
						   const struct flow_message *own)
{
	if (!BODY_NODE(path))
		return;
	flow_wrap(&flow_functions);
	flow_learn(task, context);
	flow_created(worker, ((const uintptr_t *)task)[BODY_NODE(path)], own);
}

/* Whether a task with this copy of a vtable is created by put_fired() and not as any other. */
static bool is_fired(const struct vtable *vtable)
{
	return BODY_NODE(atomic_load_explicit(&vtable->body, memory_order_relaxed));
}

/*
 * A task with this vtable is created by the running one, whose strand ends at `ticks`; it gets our
 * copy.  The bag is what its waiters will wait for.
 */
static void created_plain(struct worker *worker, uint64_t ticks, uint32_t site,
			  struct tbb_task *task, const struct vtable *vtable, const void *bag,
			  const struct flow_message *own)
{
	body_path path = atomic_load_explicit(&vtable->body, memory_order_relaxed);

	record_create_named_at(worker, ticks, site, (uintptr_t)task, (uintptr_t)bag);
	if (__builtin_expect(path, 0))
		created_node(worker, task, path, bag, own);
	task->vtable = vtable->word;
}

/* The task that was created just now is one of a pipeline, if its class has a way to a filter. */
static inline void created_filter(struct worker *worker, const struct tbb_task *task,
				  const struct vtable *vtable, enum pipe_creation creation)
{
	body_path path = atomic_load_explicit(&vtable->body, memory_order_relaxed);

	if (__builtin_expect(BODY_IS_KNOWN(path) && !BODY_NODE(path), 0))
		pipe_created(worker, task, path, creation);
}

/* A task is handed over; the caller's strand ends. */
static __attribute__((noinline)) struct caller
task_create(struct callsite *callsite, struct tbb_task *task, const void *bag, bool waits)
{
	struct caller caller = { 0 };
	struct worker *worker = callsite_worker_inside(callsite);
	const uintptr_t *word = task->vtable; /* another thread may change it, and begin to run */
	const struct vtable *vtable;
	uint64_t ticks;
	uint32_t site;

	if (!worker)
		return caller;
	vtable = vtable_find(callsite, task, word, &ours);
	if (!vtable && !vtable_is_copy(word))
		return caller;
	site = vtable ? task_site(callsite, task, vtable) : callsite->site;
	caller = caller_enter(worker);
	ticks = record_ticks(worker);
	if (__builtin_expect(vtable != NULL, 1)) {
		created_plain(worker, ticks, site, task, vtable, bag, NULL);
		created_filter(worker, task, vtable, waits ? PIPE_FIRST : PIPE_WOKEN);
	} else /* it was created before */
		record_event_at(worker, ticks, WIRE_YIELD, callsite->site);
	if (!vtable && !is_fired(vtable_of(word)))
		record_lost_call(); /* who runs it twice at once begins it twice */
	if (waits) {
		record_event_at(worker, ticks, WIRE_RESUME, caller.task);
		record_event_at(worker, ticks, WIRE_WAIT, site_make(callsite->site, WIRE_WAIT_BAG));
		record_detail(worker, WIRE_OBJECT, (uintptr_t)bag);
		tbb_enter(callsite, worker);
	}
	return caller;
}

/* Hot path: the same of nearly all, of which the class says all. */
static inline struct caller task_create_plain(struct callsite *callsite, struct tbb_task *task,
					      const void *bag)
{
	const struct vtable *vtable =
		vtable_at_hand((size_t)(callsite - tbb_callsites.table), task->vtable);
	struct worker *worker = worker_self();
	struct store store = NO_STORE;

	if (__builtin_expect(vtable && vtable_says_all(vtable) && callsite->site && worker &&
				     worker->task,
			     1))
		store = worker_enter(worker, WORKER_INSIDE, 3);
	if (!store.slot)
		return task_create(callsite, task, bag, false);
	worker_fill_now(store.slot, WIRE_CREATE, callsite->site);
	worker_fill(store.slot + 1, WIRE_NAME, (uintptr_t)task);
	worker_fill(store.slot + 2, WIRE_BAG, (uintptr_t)bag);
	record_next_id(worker);
	worker_leave(worker, store, WORKER_OUTSIDE);
	task->vtable = vtable->word;
	return caller_enter(worker);
}

#define CREATES(name, parameters, bag, arguments)                                                  \
	void tbb_##name parameters                                                                 \
	{                                                                                          \
		struct callsite *callsite = CALLSITE(tbb, name, task->vtable);                     \
		CALLER caller = task_create_plain(callsite, task, bag);                            \
                                                                                                   \
		tbb_of(callsite)->name arguments;                                                  \
		tbb_counted(tbb_of(callsite));                                                     \
	}

CREATES(spawn, (struct tbb_task * task, void *context), context, (task, context))
CREATES(spawn_to, (struct tbb_task * task, void *context, uint16_t slot), context,
	(task, context, slot))
CREATES(submit, (struct tbb_task * task, void *context, void *arena, uintptr_t critical), context,
	(task, context, arena, critical))
/* In the own context of an arena, by default this thread's: nobody waits for that. */
CREATES(enqueue, (struct tbb_task * task, void *arena), arena ? arena : tbb_of(callsite),
	(task, arena))
CREATES(enqueue_in, (struct tbb_task * task, void *context, void *arena), context,
	(task, context, arena))

/* Tasks run inside, as in a wait. */
void tbb_execute_and_wait(struct tbb_task *task, void *context, void *wait_context,
			  void *wait_group)
{
	struct callsite *callsite = CALLSITE(tbb, execute_and_wait, task->vtable);
	struct worker *worker = callsite_worker_inside(callsite);
	struct tbb_aside *aside = worker ? tbb_aside_open(worker, caller_back) : NULL;

	if (aside)
		aside->caller = task_create(callsite, task, context, true);
	aside_call(task, context, wait_context, wait_group, (struct aside *)aside,
		   (aside_fn *)(uintptr_t)tbb_of(callsite)->execute_and_wait);
}

/*
 * The running task returns another one, which is run next.  Where a task was created
 * is told by an address: here, one in the code that returned it.
 */
static uint64_t bypassed(const struct run *run, struct tbb_task *next, struct worker *worker,
			 uint64_t ticks)
{
	const uintptr_t *original = next->vtable;

	if (vtable_is_copy(original)) /* it was created before */
		return ticks;
	struct callsite *callsite =
		CALLSITE_FROM((void *)((uintptr_t)run->vtable->execute + 1), tbb, bypass, original);
	const struct vtable *vtable =
		callsite->site ? vtable_find(callsite, next, original, &ours) : NULL;

	if (!vtable)
		return ticks;
	created_plain(worker, ticks, task_site(callsite, next, vtable), next, vtable,
		      run->execution->context, NULL);
	created_filter(worker, next, vtable, PIPE_GOES_ON);
	record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	return ticks;
}

/*
 * The message that the running task put made this task ready: it is created here, and handed over
 * later.  In between another message might come.  If it has a priority, it waits in a queue of its
 * graph, and libtbb gets another task that runs it.
 */
static bool put_created(struct worker *worker, uint64_t ticks, void *from, struct tbb_task *next,
			const struct flow_message *own)
{
	const uintptr_t *original = next->vtable;
	const void *context = flow_context(next);
	struct callsite *callsite;
	const struct vtable *vtable;

	if (!context || vtable_is_copy(original))
		return false;
	callsite = CALLSITE_FROM(from, tbb, bypass, original);
	vtable = callsite->site ? vtable_find(callsite, next, original, &ours) : NULL;
	if (!vtable || !is_fired(vtable))
		return false;
	created_plain(worker, ticks, task_site(callsite, next, vtable), next, vtable, context, own);
	return true;
}

static __attribute__((noinline)) void put_fired(void *from, struct tbb_task *next,
						const struct flow_message *own)
{
	struct worker *worker = worker_self();
	uint64_t ticks;

	if (!worker || !worker->task || worker_state(worker) != WORKER_INSIDE)
		return;
	ticks = record_ticks(worker); /* the first time, all that is below takes long */
	if (put_created(worker, ticks, from, next, own))
		record_resume(worker, worker->task);
	else
		worker_turn(worker, WORKER_INSIDE);
}

/* That some messages' edges are missing: once. */
static __attribute__((noinline)) void flow_unlinked(void)
{
	static _Atomic uint32_t told; /* 1 + tbb_forks */

	if (tbb_here && atomic_exchange(&told, tbb_forks + 1) != tbb_forks + 1)
		record_runtime_unlinked(tbb_here->head.runtime,
					"messages that waited in a flow graph's priority_queue, "
					"overwrite, lightweight or key_matching node, or let "
					"several pass a limiter");
}

/* The worker whose task runs in our function of a receiver; NULL. */
static struct worker *flow_worker(void)
{
	struct worker *worker = worker_self();

	return worker && worker->task && worker_state(worker) == WORKER_INSIDE ? worker : NULL;
}

static uint32_t flow_site(void *from)
{
	return CALLSITE_FROM(from, tbb, bypass, NULL)->site;
}

/* In the place of a receiver's try_put_task(). */
static struct tbb_task *flow_put(struct flow_receiver *receiver, const void *message)
{
	void *from = __builtin_return_address(0);
	flow_put_fn real = (flow_put_fn)(uintptr_t)flow_real(receiver, FLOW_PUT);
	struct worker *worker = flow_worker();
	__attribute__((cleanup(flow_put_end))) struct flow_put put = { .before = flow_here };
	struct tbb_task *next;

	flow_put_begin(&put, receiver, message);
	if (worker && put.awaited.n)
		flow_await(worker, flow_site(from), &put);
	if (worker && put.own.point)
		record_event(worker, WIRE_SIGNAL, flow_name(&put.own));
	flow_put_prepare(receiver);
	if (worker && put.own.point)
		record_resume(worker, worker->task);
	next = real(receiver, message);
	if (!next && put.own.point)
		flow_put_refused(&put.own);
	else if (next && (uintptr_t)next != FLOW_TAKEN && (put.fires || flow_has_priority(next)))
		put_fired(from, next, &put.own);
	if (flow_put_unlinked(receiver, next))
		flow_unlinked();
	return next;
}

/* In the place of its register_predecessor(). */
static uintptr_t flow_registered(void *receiver, void *sender, void *more)
{
	uint64_t name = flow_asked(receiver, (uintptr_t)sender);
	struct worker *worker = name ? flow_worker() : NULL;

	if (worker) {
		record_event(worker, WIRE_SIGNAL, name);
		record_resume(worker, worker->task);
	}
	return flow_real(receiver, FLOW_REGISTER)(receiver, sender, more);
}

/* In the place of execute(). */
static uintptr_t flow_executed(void *receiver, void *first, void *second)
{
	struct worker *worker = flow_worker();

	if (worker)
		flow_run(worker, flow_site(__builtin_return_address(0)), receiver);
	return flow_real(receiver, FLOW_EXECUTE)(receiver, first, second);
}

static const struct flow_ours flow_functions = { flow_put, flow_registered, flow_executed,
						 flow_unlinked };

/* As bypassed(), and the task is over. */
static __attribute__((noinline)) void run_over_next(const struct run *run, struct tbb_task *next,
						    struct worker *worker)
{
	uint64_t ticks = bypassed(run, next, worker, record_ticks(worker));

	record_event_at(worker, ticks, WIRE_END, 0);
	worker->task = run->below;
}

/* Hot path: the task is over, by return or exception, and its object gone; `next` is to be run. */
static void *run_back(struct aside *head, void *next)
{
	struct tbb_aside *aside = (struct tbb_aside *)head;
	const struct run *run = &aside->run;
	struct worker *worker = worker_self();

	if (__builtin_expect(worker && run->forks == tbb_forks, 1)) {
		if (__builtin_expect(next != NULL, 0))
			run_over_next(run, next, worker);
		else
			record_end(worker, run->below);
		if (__builtin_expect(run->ran, 0))
			stay_resume_from(worker, NULL, run->below);
	}
	tbb_aside_close(worker, aside);
	return next;
}

/*
 * Hot path: what stands in the vtable that the task has, if it is not the function that was called:
 * another thread runs the same object, and began while the call was on its way.
 */
static inline tbb_task_fn other_than(tbb_task_fn called, enum tbb_vtable n, const uintptr_t *word)
{
	return __builtin_expect(word[n] == (uintptr_t)called, 1) ? NULL : (tbb_task_fn)word[n];
}

/* Hot path: in the place of execute(). */
static struct tbb_task *tbb_execute(struct tbb_task *task, struct tbb_execution *execution)
{
	const uintptr_t *word = task->vtable;
	const struct vtable *vtable = vtable_of(word);
	tbb_task_fn other = other_than(tbb_execute, TBB_VTABLE_EXECUTE, word);
	struct tbb_aside *aside = NULL;
	struct worker *worker;

	if (__builtin_expect(other != NULL, 0))
		return other(task, execution);
	task->vtable = vtable->original;
	worker = record_worker();
	if (worker)
		aside = tbb_aside_open(worker, run_back);
	if (__builtin_expect(aside != NULL, 1)) {
		aside->run = (struct run){ execution, vtable, worker->task, tbb_forks, false };
		tbb_here = vtable->tbb;
		if (__builtin_expect(worker->task != 0, 0)) {
			aside->run.ran = worker_state(worker) == WORKER_INSIDE;
			if (aside->run.ran)
				record_event(worker, WIRE_YIELD, vtable->site);
		}
		record_start(worker, (uintptr_t)task);
	}
	return aside_call(task, execution, NULL, NULL, (struct aside *)aside,
			  (aside_fn *)(uintptr_t)vtable->execute);
}

/* In the place of cancel(): the task will never run. */
static struct tbb_task *tbb_cancel(struct tbb_task *task, struct tbb_execution *execution)
{
	const uintptr_t *word = task->vtable;
	const struct vtable *vtable = vtable_of(word);
	tbb_task_fn other = other_than(tbb_cancel, TBB_VTABLE_CANCEL, word);
	struct worker *worker = record_worker();

	if (other)
		return other(task, execution);
	task->vtable = vtable->original;
	if (worker)
		record_event(worker, WIRE_DISCARD_NAMED, (uintptr_t)task);
	return vtable->cancel(task, execution);
}

/* A task from before a fork: it runs, or is cancelled, unrecorded. */
static struct tbb_task *unrecorded(struct tbb_task *task, struct tbb_execution *execution,
				   tbb_task_fn called, enum tbb_vtable n)
{
	const uintptr_t *word = task->vtable;
	tbb_task_fn other = other_than(called, n, word);

	if (other)
		return other(task, execution);
	task->vtable = vtable_of(word)->original;
	return ((tbb_task_fn)task->vtable[n])(task, execution);
}

static struct tbb_task *tbb_execute_only(struct tbb_task *task, struct tbb_execution *execution)
{
	return unrecorded(task, execution, tbb_execute_only, TBB_VTABLE_EXECUTE);
}

static struct tbb_task *tbb_cancel_only(struct tbb_task *task, struct tbb_execution *execution)
{
	return unrecorded(task, execution, tbb_cancel_only, TBB_VTABLE_CANCEL);
}
