/* SPDX-License-Identifier: MIT */
/* steal.c - the work-stealing runtime: deques, stacks, waits, and its marks. */
#include "test/steal/steal.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_BYTES (64u << 10)
#define WORKERS 64u

static struct tptrace_runtime trace = { "steal", "1", 0 };

/* Where a task stands that has begun. */
struct steal_fiber {
	ucontext_t context;
	struct steal_task *task;
	struct steal_fiber *next; /* free ones */
	char *stack;
};

/* What is ready: a fiber, or a task that has none yet. */
struct ready {
	struct steal_task *task;
	struct steal_fiber *fiber;
};

struct worker {
	struct steal_lock lock; /* of the deque */
	struct ready *deque;
	unsigned long first, end, room; /* numbers of the oldest, behind the newest */
	ucontext_t scheduler;
	struct steal_fiber *fiber; /* runs here */
	struct steal_lock *unlock; /* once the fiber has left its stack */
	struct ready again;	   /* likewise: that is ready */
	bool is_over;		   /* likewise: its task has ended */
	unsigned seed;
	pthread_t thread;
};

static struct worker workers[WORKERS];
static unsigned n_workers;
static bool stops;
static struct steal_fiber *spare;
static struct steal_lock spare_lock;
static __thread struct worker *worker_tls;

/* Not inlined: a task is on another thread after each switch. */
static __attribute__((noinline)) struct worker *self(void)
{
	__asm__ volatile("");
	return worker_tls;
}

unsigned steal_worker(void)
{
	return (unsigned)(self() - workers);
}

static void lock(struct steal_lock *lock)
{
	while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(struct steal_lock *lock)
{
	__atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

static void die(const char *what)
{
	fprintf(stderr, "steal: %s\n", what);
	abort();
}

/* ---- deques ---- */

static void push(struct worker *worker, struct ready ready)
{
	lock(&worker->lock);
	if (worker->end - worker->first == worker->room) {
		unsigned long room = worker->room ? 2 * worker->room : 64;
		struct ready *deque = malloc(room * sizeof(*deque));

		if (!deque)
			die("no memory");
		for (unsigned long i = worker->first; i < worker->end; i++)
			deque[i % room] = worker->deque[i % worker->room];
		free(worker->deque);
		worker->deque = deque;
		worker->room = room;
	}
	worker->deque[worker->end++ % worker->room] = ready;
	unlock(&worker->lock);
}

static bool take(struct worker *worker, bool newest, struct ready *ready)
{
	bool found;

	lock(&worker->lock);
	found = worker->end > worker->first;
	if (found)
		*ready = worker->deque[(newest ? --worker->end : worker->first++) % worker->room];
	unlock(&worker->lock);
	return found;
}

static bool find(struct worker *worker, struct ready *ready)
{
	unsigned from;

	if (take(worker, true, ready))
		return true;
	worker->seed = worker->seed * 1664525u + 1013904223u;
	from = worker->seed >> 16;
	for (unsigned i = 0; i < n_workers; i++) {
		struct worker *victim = &workers[(from + i) % n_workers];

		if (victim != worker && take(victim, false, ready))
			return true;
	}
	return false;
}

/* ---- tasks ---- */

/* Leaves the fiber's stack; comes back on any thread. */
static void leave(struct worker *worker)
{
	swapcontext(&worker->fiber->context, &worker->scheduler);
}

static void fiber_run(void)
{
	struct steal_fiber *fiber = self()->fiber;
	struct tptrace_here here;

	for (;;) { /* a stack is used again */
		tptrace_task_begin(&fiber->task->trace, &here);
		fiber->task->code(fiber->task->arg);
		tptrace_task_end(&here);
		self()->is_over = true;
		leave(self());
	}
}

static struct steal_fiber *fiber_make(void)
{
	struct steal_fiber *fiber = calloc(1, sizeof(*fiber));

	if (!fiber || !(fiber->stack = malloc(STACK_BYTES)))
		die("no memory");
	return fiber;
}

static void fiber_prepare(struct steal_fiber *fiber)
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&fiber->context, fiber_run, 0);
}

static struct steal_fiber *fiber_new(struct steal_task *task)
{
	struct steal_fiber *fiber;

	lock(&spare_lock);
	fiber = spare;
	if (fiber)
		spare = fiber->next;
	unlock(&spare_lock);
	if (!fiber) {
		fiber = fiber_make();
		fiber_prepare(fiber);
	}
	fiber->task = task;
	return fiber;
}

static void fiber_free(struct steal_fiber *fiber)
{
	lock(&spare_lock);
	fiber->next = spare;
	spare = fiber;
	unlock(&spare_lock);
}

struct steal_next {
	struct steal_task *task;
	struct steal_next *next;
};

/* One thing less to come before it. */
static void fulfil(struct worker *worker, struct steal_task *task)
{
	if (__atomic_sub_fetch(&task->n_before, 1, __ATOMIC_ACQ_REL) == 0)
		push(worker, (struct ready){ task, NULL });
}

/* What follows from the end of a task; nobody may touch it after its group. */
static void finish(struct worker *worker, struct steal_task *task)
{
	struct steal_group *group = task->group;
	struct steal_fiber *waiter = NULL;
	struct steal_next *after;

	lock(&task->lock);
	task->is_done = true;
	after = task->after;
	task->after = NULL;
	unlock(&task->lock);
	while (after) {
		struct steal_next *next = after->next;

		fulfil(worker, after->task);
		free(after);
		after = next;
	}
	lock(&group->lock);
	if (--group->n_open == 0) {
		waiter = group->waiter;
		group->waiter = NULL;
	}
	unlock(&group->lock);
	if (waiter)
		push(worker, (struct ready){ waiter->task, waiter });
}

/* Runs what is ready, until it ends or waits. */
static void run(struct worker *worker, struct ready ready)
{
	struct steal_fiber *fiber = ready.fiber ? ready.fiber : fiber_new(ready.task);

	worker->fiber = fiber;
	swapcontext(&worker->scheduler, &fiber->context);
	worker->fiber = NULL;
	if (worker->unlock)
		unlock(worker->unlock);
	worker->unlock = NULL;
	if (worker->again.fiber)
		push(worker, worker->again);
	worker->again = (struct ready){ NULL, NULL };
	if (worker->is_over) {
		struct steal_task *task = fiber->task;

		worker->is_over = false;
		fiber_free(fiber);
		finish(worker, task);
	}
}

static void run_or_rest(struct worker *worker, unsigned *n_tries)
{
	struct ready ready;

	if (find(worker, &ready)) {
		*n_tries = 0;
		run(worker, ready);
	} else if (++*n_tries < 50) {
		sched_yield();
	} else {
		usleep(50);
	}
}

/* ---- workers ---- */

static void *work(void *arg)
{
	struct worker *worker = arg;
	unsigned n_tries = 0;

	worker_tls = worker;
	while (!__atomic_load_n(&stops, __ATOMIC_ACQUIRE))
		run_or_rest(worker, &n_tries);
	return NULL;
}

void steal_start(unsigned n)
{
	n_workers = n < 1 ? 1 : n > WORKERS ? WORKERS : n;
	tptrace_task_workers(&trace, n_workers);
	worker_tls = &workers[0];
	__atomic_store_n(&stops, false, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < n_workers; i++)
		workers[i].seed = i;
	for (unsigned i = 1; i < n_workers; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("no thread");
}

void steal_stop(void)
{
	__atomic_store_n(&stops, true, __ATOMIC_RELEASE);
	for (unsigned i = 1; i < n_workers; i++)
		pthread_join(workers[i].thread, NULL);
	for (unsigned i = 0; i < n_workers; i++)
		free(workers[i].deque);
	memset(workers, 0, sizeof(workers));
	while (spare) {
		struct steal_fiber *fiber = spare;

		spare = fiber->next;
		free(fiber->stack);
		free(fiber);
	}
}

/* ---- what tasks call ---- */

static void comes_after(struct steal_task *task, struct steal_task *before)
{
	struct steal_next *next;

	if (!before->is_made)
		return;
	tptrace_task_after(task->trace, before->trace);
	lock(&before->lock);
	if (!before->is_done) {
		next = malloc(sizeof(*next));
		if (!next)
			die("no memory");
		*next = (struct steal_next){ task, before->after };
		before->after = next;
		__atomic_add_fetch(&task->n_before, 1, __ATOMIC_RELAXED);
	}
	unlock(&before->lock);
}

static void spawn(struct steal_task *task, struct steal_group *group, void (*code)(void *),
		  void *arg, struct steal_task *const *before, int n, const void *site)
{
	struct tptrace_here here;

	memset(task, 0, sizeof(*task));
	tptrace_task_create(&trace, &task->trace, &here, (tptrace_code_t)code, site);
	tptrace_task_group(task->trace, group);
	task->code = code;
	task->arg = arg;
	task->group = group;
	task->is_made = true;
	task->n_before = 1;
	lock(&group->lock);
	group->n_open++;
	unlock(&group->lock);
	for (int i = 0; i < n; i++)
		comes_after(task, before[i]);
	fulfil(self(), task);
	tptrace_task_resume(&here);
}

void steal_spawn(struct steal_task *task, struct steal_group *group, void (*code)(void *),
		 void *arg)
{
	spawn(task, group, code, arg, NULL, 0, TPTRACE_TASK_CALLER);
}

void steal_spawn_after(struct steal_task *task, struct steal_group *group, void (*code)(void *),
		       void *arg, struct steal_task *const *before, int n)
{
	spawn(task, group, code, arg, before, n, TPTRACE_TASK_CALLER);
}

/* The calling fiber leaves its stack, unless *done; then `held` is unlocked. */
static void suspend(struct steal_fiber **waiter, struct steal_lock *held)
{
	struct worker *worker = self();

	*waiter = worker->fiber;
	worker->unlock = held;
	leave(worker);
}

/* The thread of main() keeps its stack. */
static bool has_ended(struct steal_group *group)
{
	bool ended;

	lock(&group->lock);
	ended = group->n_open == 0;
	unlock(&group->lock);
	return ended;
}

void steal_wait(struct steal_group *group)
{
	struct tptrace_here here;
	unsigned n_tries = 0;

	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_GROUP, group, TPTRACE_TASK_CALLER);
	if (!self()->fiber) {
		while (!has_ended(group))
			run_or_rest(self(), &n_tries);
	} else {
		lock(&group->lock);
		if (group->n_open)
			suspend(&group->waiter, &group->lock);
		else
			unlock(&group->lock);
	}
	tptrace_task_resume(&here);
}

void steal_event_wait(struct steal_event *event)
{
	struct tptrace_here here;

	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_OBJECT, event, TPTRACE_TASK_CALLER);
	lock(&event->lock);
	if (!event->is_set)
		suspend(&event->waiter, &event->lock);
	else
		unlock(&event->lock);
	event->is_set = false;
	tptrace_task_resume(&here);
}

void steal_event_set(struct steal_event *event)
{
	struct tptrace_here here;
	struct steal_fiber *waiter;

	tptrace_task_release(&here, event);
	lock(&event->lock);
	event->is_set = true;
	waiter = event->waiter;
	event->waiter = NULL;
	unlock(&event->lock);
	if (waiter)
		push(self(), (struct ready){ waiter->task, waiter });
	tptrace_task_resume(&here);
}

void steal_yield(void)
{
	struct tptrace_here here;
	struct worker *worker = self();

	tptrace_task_wait(&trace, &here, TPTRACE_WAIT_YIELD, NULL, TPTRACE_TASK_CALLER);
	if (worker->fiber) {
		worker->again = (struct ready){ worker->fiber->task, worker->fiber };
		leave(worker);
	}
	tptrace_task_resume(&here);
}
