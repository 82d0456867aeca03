/* SPDX-License-Identifier: MIT */
/*
 * cilkrts.c - a small libcilkrts, for machines that have none: it steals continuations as the real
 * one does, at the same places and by the same jumps, with plain locks and no reducers.
 *
 *	segment	what a worker runs: a chain of calls from a helper, or from a thread's first
 *		frame, down to the running function.  Its stealable frames are in the worker's
 *		queue, the oldest first
 *	join	of a frame that was stolen since its last sync: how many children are out
 *
 * A thief takes the oldest frame of a victim and all of the segment above it.  What is below,
 * the child, stays with the victim as a segment of its own, whose end `owed` is told of.
 *
 * A function that was stolen goes on on a stack of the thief's, and at its sync comes back to the
 * one where its frame lies.  A worker leaves a stack, for its own scheduler's, before anybody
 * hears that it has.
 */
#include "lowered.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORKERS 64
#define QUEUE 4096
#define STACK_BYTES (1u << 20)
#define EXPORT __attribute__((visibility("default")))

/* A stack to run a stolen function on; it lies at the high end of its own memory. */
struct stack {
	struct stack *next;
};

struct join {
	int out; /* children that have not ended */
	bool waits;
	struct cilk_frame *frame;
	struct stack *stack; /* where the frame lies: NULL is a thread's own */
	void *sp;
	struct join *owed;   /* of the segment that waits */
	struct worker *home; /* the only worker that may pass the sync, or NULL */
	struct join *next;   /* in home's list */
	pthread_mutex_t lock;
};

struct worker {
	struct cilk_worker abi; /* first: what frames point to */
	struct cilk_frame *queue[QUEUE];
	pthread_mutex_t lock; /* of the queue's head and of owed */
	struct join *owed;
	struct stack *stack, *left; /* left: to be freed once we are off it */
	struct join *done, *passed; /* what to do on the scheduler's stack */
	struct join *handed;	    /* by others: only we may pass these syncs */
	bool system;
	void *scheduler[5]; /* a jump buffer */
	struct stack *own;  /* the scheduler's stack, of a thread of the program's */
	unsigned seed;
};

static struct worker workers[WORKERS];
static _Atomic int n_workers; /* that can be stolen from */
static int n_system;	      /* P, 0 before the start */
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stack_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stack *free_stacks;
static char wanted_workers[16];
static __thread struct worker *self;

static void die(const char *what)
{
	fprintf(stderr, "libcilkrts stand-in: %s\n", what);
	abort();
}

/* ---- stacks ---- */

static struct stack *stack_get(void)
{
	struct stack *stack;
	char *memory;

	pthread_mutex_lock(&stack_lock);
	stack = free_stacks;
	if (stack)
		free_stacks = stack->next;
	pthread_mutex_unlock(&stack_lock);
	if (stack)
		return stack;
	memory =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("no memory");
	return (struct stack *)(memory + STACK_BYTES - 64);
}

static void stack_put(struct stack *stack)
{
	pthread_mutex_lock(&stack_lock);
	stack->next = free_stacks;
	free_stacks = stack;
	pthread_mutex_unlock(&stack_lock);
}

static void *stack_top(struct stack *stack)
{
	return (void *)(((uintptr_t)stack - 256) & ~(uintptr_t)255);
}

/* ---- going on ---- */

/* The segment of this frame is ours now. */
static void segment_take(struct worker *worker, struct cilk_frame *frame)
{
	worker->abi.current_stack_frame = frame;
	for (; frame; frame = frame->call_parent) {
		frame->worker = &worker->abi;
		if (frame->flags & CILK_FRAME_DETACHED)
			return;
	}
}

static bool segment_is_home(const struct cilk_frame *frame)
{
	for (; frame; frame = frame->call_parent)
		if (frame->flags & CILK_FRAME_DETACHED)
			return false;
	return true;
}

static __attribute__((noreturn, noinline)) void frame_go_on(struct cilk_frame *frame, void *sp)
{
	frame->ctx[2] = sp;
	__asm__ volatile("ldmxcsr %0\n\tfnclex\n\tfldcw %1"
			 :
			 : "m"(frame->mxcsr), "m"(frame->fpcsr));
	__builtin_longjmp(frame->ctx, 1);
}

/* All children of a frame that waits have ended. */
static __attribute__((noreturn)) void join_pass(struct worker *worker, struct join *join)
{
	struct cilk_frame *frame = join->frame;
	void *sp = join->sp;

	pthread_mutex_lock(&worker->lock);
	worker->owed = join->owed;
	pthread_mutex_unlock(&worker->lock);
	worker->stack = join->stack;
	frame->flags &= ~(uint32_t)CILK_FRAME_UNSYNCHED;
	frame->except_data = NULL;
	pthread_mutex_destroy(&join->lock);
	free(join);
	segment_take(worker, frame);
	frame_go_on(frame, sp);
}

/* Whether we may pass the sync; if not, tells its home worker. */
static bool join_is_for(struct worker *worker, struct join *join)
{
	struct worker *home = join->home;

	if (!home || home == worker)
		return true;
	pthread_mutex_lock(&home->lock);
	join->next = home->handed;
	home->handed = join;
	pthread_mutex_unlock(&home->lock);
	return false;
}

/* One child fewer, or none: the last one goes on if the function waits. */
static bool join_ready(struct join *join, int fewer, bool waits)
{
	bool ready;

	pthread_mutex_lock(&join->lock);
	join->out -= fewer;
	if (waits)
		join->waits = true;
	ready = join->waits && join->out == 0;
	pthread_mutex_unlock(&join->lock);
	return ready;
}

/* ---- stealing ---- */

static struct join *join_of(struct worker *victim, struct cilk_frame *frame)
{
	struct join *join = frame->except_data;

	if (!join) {
		join = calloc(1, sizeof(*join));
		pthread_mutex_init(&join->lock, NULL);
		join->frame = frame;
		join->stack = victim->stack;
		join->sp = frame->ctx[2];
		join->home = segment_is_home(frame) && !victim->system ? victim : NULL;
		frame->except_data = join;
	}
	return join;
}

static void steal(struct worker *worker, struct worker *victim)
{
	struct cilk_frame *volatile *tail;
	struct cilk_frame *frame;
	struct stack *stack;
	struct join *join;

	pthread_mutex_lock(&victim->lock);
	tail = __atomic_load_n(&victim->abi.tail, __ATOMIC_ACQUIRE);
	if (victim->abi.head >= tail) {
		pthread_mutex_unlock(&victim->lock);
		return;
	}
	frame = *victim->abi.head++;
	join = join_of(victim, frame);
	pthread_mutex_lock(&join->lock);
	join->out++;
	pthread_mutex_unlock(&join->lock);
	pthread_mutex_lock(&worker->lock);
	worker->owed = victim->owed;
	pthread_mutex_unlock(&worker->lock);
	victim->owed = join;
	frame->flags |= CILK_FRAME_STOLEN | CILK_FRAME_UNSYNCHED;
	segment_take(worker, frame);
	pthread_mutex_unlock(&victim->lock);
	stack = stack_get();
	worker->stack = stack;
	frame_go_on(frame, stack_top(stack));
}

/* On the scheduler's stack: what was asked for there, then stealing. */
static __attribute__((noreturn, noinline)) void schedule(struct worker *worker)
{
	struct join *join;

	__builtin_setjmp(worker->scheduler);
	worker = self;
	worker->abi.current_stack_frame = NULL;
	if (worker->left)
		stack_put(worker->left);
	worker->left = worker->stack = NULL;
	join = worker->done;
	worker->done = NULL;
	if (join && join_ready(join, 1, false) && join_is_for(worker, join))
		join_pass(worker, join);
	join = worker->passed;
	worker->passed = NULL;
	if (join && join_ready(join, 0, true) && join_is_for(worker, join))
		join_pass(worker, join);
	for (unsigned tries = 0;; tries++) {
		int n = n_workers;
		struct worker *victim = &workers[(unsigned)rand_r(&worker->seed) % (unsigned)n];

		pthread_mutex_lock(&worker->lock);
		join = worker->handed;
		if (join)
			worker->handed = join->next;
		pthread_mutex_unlock(&worker->lock);
		if (join)
			join_pass(worker, join);
		if (victim != worker)
			steal(worker, victim);
		if (tries % 64 == 63)
			usleep(50);
		else
			sched_yield();
	}
}

static __attribute__((noreturn, noinline)) void leave_stack(struct worker *worker)
{
	__builtin_longjmp(worker->scheduler, 1);
}

/* ---- workers ---- */

static void worker_init(struct worker *worker, int number)
{
	pthread_mutex_init(&worker->lock, NULL);
	worker->abi.self = number;
	worker->abi.head = worker->abi.tail = worker->abi.exc = worker->queue;
	worker->abi.ltq_limit = worker->queue + QUEUE;
	worker->seed = (unsigned)number + 1;
}

static void *run_system(void *arg)
{
	self = arg;
	schedule(arg);
	return NULL;
}

static void enter_scheduler(void)
{
	schedule(self);
}

/* A thread of the program's has its scheduler on a stack of its own, entered as by a call. */
static void scheduler_prepare(struct worker *worker)
{
	if (!worker->own)
		worker->own = stack_get();
	worker->scheduler[0] = NULL;
	worker->scheduler[1] = (void *)enter_scheduler;
	worker->scheduler[2] = (char *)stack_top(worker->own) - 8;
}

static void start(void)
{
	const char *variable = wanted_workers[0] ? wanted_workers : getenv("CILK_NWORKERS");
	int n = variable ? atoi(variable) : (int)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_attr_t attr;
	pthread_t thread;

	if (n < 1 || n > WORKERS / 2)
		n = 1;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < n; i++)
		worker_init(&workers[i], i);
	n_workers = n;
	n_system = n;
	for (int i = 1; i < n; i++) {
		workers[i].system = true;
		if (pthread_create(&thread, &attr, run_system, &workers[i]) != 0)
			die("no thread");
	}
	pthread_attr_destroy(&attr);
}

static _Atomic bool first_taken;

static struct worker *bind(void)
{
	struct worker *worker = NULL;
	int saved = errno;

	pthread_mutex_lock(&start_lock);
	if (!n_system)
		start();
	if (!atomic_exchange(&first_taken, true))
		worker = &workers[0];
	pthread_mutex_unlock(&start_lock);
	if (!worker) { /* a further thread of the program's: nobody steals from it */
		worker = calloc(1, sizeof(*worker));
		worker_init(worker, -1);
	}
	worker->owed = NULL;
	worker->stack = NULL;
	scheduler_prepare(worker);
	self = worker;
	errno = saved;
	return worker;
}

static void unbind(struct worker *worker)
{
	self = NULL;
	if (worker == &workers[0]) {
		first_taken = false;
		return;
	}
	stack_put(worker->own);
	free(worker);
}

/* ---- entry points ---- */

static void enter(struct cilk_frame *frame, struct worker *worker, uint32_t flags)
{
	frame->flags = flags;
	frame->call_parent = worker->abi.current_stack_frame;
	frame->worker = &worker->abi;
	frame->except_data = NULL;
	frame->reserved = 0;
	worker->abi.current_stack_frame = frame;
}

EXPORT void __cilkrts_enter_frame_1(struct cilk_frame *frame)
{
	if (self)
		enter(frame, self, CILK_FRAME_VERSION);
	else
		enter(frame, bind(), CILK_FRAME_VERSION | CILK_FRAME_LAST);
}

EXPORT void __cilkrts_enter_frame_fast_1(struct cilk_frame *frame)
{
	enter(frame, self, CILK_FRAME_VERSION);
}

EXPORT void __cilkrts_enter_frame(struct cilk_frame *frame);
EXPORT void __cilkrts_enter_frame(struct cilk_frame *frame)
{
	__cilkrts_enter_frame_1(frame);
}

EXPORT void __cilkrts_enter_frame_fast(struct cilk_frame *frame);
EXPORT void __cilkrts_enter_frame_fast(struct cilk_frame *frame)
{
	__cilkrts_enter_frame_fast_1(frame);
}

EXPORT void __cilkrts_leave_frame(struct cilk_frame *frame)
{
	struct worker *worker = self;
	struct join *join;

	if (!(frame->flags & CILK_FRAME_DETACHED)) {
		if (frame->flags & CILK_FRAME_LAST)
			unbind(worker);
		return;
	}
	pthread_mutex_lock(&worker->lock);
	if (worker->abi.tail > worker->abi.head) {
		worker->abi.tail--;
		pthread_mutex_unlock(&worker->lock);
		frame->flags &= ~(uint32_t)CILK_FRAME_DETACHED;
		if (frame->flags != CILK_FRAME_VERSION)
			die("a helper with flags");
		worker->abi.pedigree.rank = frame->pedigree.rank + 1;
		worker->abi.pedigree.parent = frame->pedigree.parent;
		return;
	}
	worker->abi.head = worker->abi.tail = worker->queue;
	join = worker->owed;
	worker->owed = NULL;
	pthread_mutex_unlock(&worker->lock);
	worker->done = join;
	worker->left = worker->stack != join->stack ? worker->stack : NULL;
	leave_stack(worker);
}

EXPORT void __cilkrts_sync(struct cilk_frame *frame)
{
	struct worker *worker = self;
	struct join *join = frame->except_data;

	if (!(frame->flags & CILK_FRAME_UNSYNCHED) || !join)
		die("a sync of a frame that was not stolen");
	pthread_mutex_lock(&worker->lock);
	worker->abi.head = worker->abi.tail = worker->queue;
	join->owed = worker->owed;
	worker->owed = NULL;
	pthread_mutex_unlock(&worker->lock);
	worker->passed = join;
	worker->left = worker->stack;
	leave_stack(worker);
}

EXPORT void __cilkrts_rethrow(struct cilk_frame *frame)
{
	die("exceptions are not supported");
}

EXPORT void __cilkrts_save_fp_ctrl_state(struct cilk_frame *frame)
{
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->fpcsr));
}

EXPORT struct cilk_worker *__cilkrts_get_tls_worker(void);
EXPORT struct cilk_worker *__cilkrts_get_tls_worker(void)
{
	return self ? &self->abi : NULL;
}

EXPORT struct cilk_worker *__cilkrts_bind_thread_1(void);
EXPORT struct cilk_worker *__cilkrts_bind_thread_1(void)
{
	return &bind()->abi;
}

EXPORT int __cilkrts_synched(void)
{
	struct cilk_frame *frame = self ? self->abi.current_stack_frame : NULL;
	struct join *join =
		frame && frame->flags & CILK_FRAME_UNSYNCHED ? frame->except_data : NULL;

	if (!frame || !(frame->flags & CILK_FRAME_UNSYNCHED))
		return 1;
	return join ? join->out == 0 : 0; /* 0: nobody sets the flag but a thief */
}

EXPORT int __cilkrts_get_nworkers(void)
{
	pthread_mutex_lock(&start_lock);
	if (!n_system)
		start();
	pthread_mutex_unlock(&start_lock);
	return n_system;
}

EXPORT int __cilkrts_get_worker_number(void)
{
	return self && self->system ? self->abi.self : 0;
}

EXPORT int __cilkrts_set_param(const char *name, const char *value)
{
	if (strcmp(name, "nworkers") != 0 || n_system)
		return 1;
	snprintf(wanted_workers, sizeof(wanted_workers), "%s", value);
	return 0;
}

/* ---- _Cilk_for: halved by spawns until a piece is no larger than the grain ---- */

static uint64_t grain_of(int grain, uint64_t count)
{
	uint64_t pieces = 8 * (uint64_t)__cilkrts_get_nworkers();

	if (grain > 0)
		return (uint64_t)grain;
	count = (count + pieces - 1) / pieces;
	return count > 2048 ? 2048 : count;
}

#define LOOP(name, split, spawn_split, index)                                                      \
	typedef void (*split##_body)(void *, index, index);                                        \
	static void split(split##_body body, void *data, index low, index high, uint64_t grain);   \
	CILK_HELPER(spawn_split,                                                                   \
		    (split##_body body, void *data, index low, index high, uint64_t grain),        \
		    split(body, data, low, high, grain))                                           \
	static void split(split##_body body, void *data, index low, index high, uint64_t grain)    \
	{                                                                                          \
		CILK_ENTER;                                                                        \
		while (high - low > grain) {                                                       \
			index middle = low + (high - low) / 2;                                     \
                                                                                                   \
			CILK_SPAWN(spawn_split, body, data, low, middle, grain);                   \
			low = middle;                                                              \
		}                                                                                  \
		body(data, low, high);                                                             \
		CILK_LEAVE;                                                                        \
	}                                                                                          \
	EXPORT void name(split##_body body, void *data, index count, int grain)                    \
	{                                                                                          \
		if (count > 0)                                                                     \
			split(body, data, 0, count, grain_of(grain, count));                       \
	}

LOOP(__cilkrts_cilk_for_32, split_32, spawn_split_32, uint32_t)
LOOP(__cilkrts_cilk_for_64, split_64, spawn_split_64, uint64_t)
