/* SPDX-License-Identifier: MIT */
/*
 * ult.c - user-level threads: deques, workers.
 *
 * A thread that leaves says why and goes to its worker's scheduler, which has a stack of its own
 * and never moves.  Only there is the thread put where others can get at it: then it is off its
 * stack for certain.
 */
#include "test/runtime/ult.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/runtime/context.h"

#define NO_WORKER UINT32_MAX
#define SCHEDULER_STACK 65536u
#define IDLE_ROUNDS 64 /* without work before a worker sleeps */

/* ---- threads, queues, workers ---- */

enum state { READY, PARKED, WOKEN }; /* READY: queued or running; WOKEN: likewise, park returns */
enum why { RAN_CHILD, PARKS, YIELDS, MOVES, EXITS };

struct ult {
	struct context context;
	struct ult *older, *younger; /* in a queue */
	ult_fn fn;
	void *arg;
	char *map; /* guard page and stack; NULL: the stack of who called ult_start() */
	size_t map_bytes;
	_Atomic uint32_t state;
	uint32_t avoid; /* worker that must not steal it, or NO_WORKER */
	bool pinned;	/* nobody may */
};

struct queue {
	struct ult_lock lock;
	struct ult *oldest, *youngest;
};

struct worker {
	struct context scheduler;
	struct ult *current;
	struct ult *next; /* to run before any other */
	enum why why;	  /* why `current` left */
	uint32_t move_to;
	struct queue deque, inbox; /* inbox: what other workers handed over */
	uint32_t index, turn;
	uint64_t random;
	char *scheduler_stack; /* worker 0's; the others have their OS thread's */
	pthread_t thread;
};

static struct {
	struct worker *worker;
	uint32_t n_workers;
	size_t stack_bytes;
	int migrate; /* one time in so many; 0 never */
	_Atomic bool started, stopping;
	_Atomic uint32_t work_seq; /* futex: bumped when a thread was queued */
	_Atomic uint32_t sleepers;
} all;

static __thread struct worker *worker_tls;

/* Not inlined, and read again each time: a thread may be on another worker after each switch. */
__attribute__((noinline)) static struct worker *worker_here(void)
{
	struct worker *worker = worker_tls;

	__asm__ volatile("" : "+r"(worker));
	return worker;
}

void ult_lock_acquire(struct ult_lock *lock)
{
	for (int n = 0; atomic_exchange_explicit(&lock->held, 1, memory_order_acquire); n++)
		if (n > 20)
			sched_yield();
}

void ult_lock_release(struct ult_lock *lock)
{
	atomic_store_explicit(&lock->held, 0, memory_order_release);
}

static uint64_t worker_random(struct worker *worker)
{
	worker->random ^= worker->random << 13; /* xorshift [Marsaglia 2003] */
	worker->random ^= worker->random >> 7;
	worker->random ^= worker->random << 17;
	return worker->random;
}

static void queue_unlink(struct queue *queue, struct ult *ult)
{
	*(ult->older ? &ult->older->younger : &queue->oldest) = ult->younger;
	*(ult->younger ? &ult->younger->older : &queue->youngest) = ult->older;
	ult->older = ult->younger = NULL;
}

static void queue_push(struct queue *queue, struct ult *ult, bool as_oldest)
{
	ult_lock_acquire(&queue->lock);
	ult->older = as_oldest ? NULL : queue->youngest;
	ult->younger = as_oldest ? queue->oldest : NULL;
	*(ult->older ? &ult->older->younger : &queue->oldest) = ult;
	*(ult->younger ? &ult->younger->older : &queue->youngest) = ult;
	ult_lock_release(&queue->lock);
	atomic_fetch_add(&all.work_seq, 1);
	if (atomic_load(&all.sleepers))
		syscall(SYS_futex, &all.work_seq, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static struct ult *queue_take(struct queue *queue, bool oldest)
{
	struct ult *ult;

	ult_lock_acquire(&queue->lock);
	ult = oldest ? queue->oldest : queue->youngest;
	if (ult)
		queue_unlink(queue, ult);
	ult_lock_release(&queue->lock);
	return ult;
}

static struct ult *queue_steal(struct queue *queue, uint32_t thief)
{
	struct ult *ult;

	ult_lock_acquire(&queue->lock);
	for (ult = queue->oldest; ult; ult = ult->younger)
		if (!ult->pinned && ult->avoid != thief)
			break;
	if (ult)
		queue_unlink(queue, ult);
	ult_lock_release(&queue->lock);
	return ult;
}

/* Queues a ready thread, seen from `worker` (NULL: from outside). */
static void thread_push(struct worker *worker, struct ult *ult, bool as_oldest)
{
	static _Atomic uint32_t outside;
	uint32_t n = all.n_workers, to;

	ult->avoid = NO_WORKER;
	ult->pinned = false;
	if (!worker) {
		to = atomic_fetch_add(&outside, 1) % n;
		queue_push(&all.worker[to].inbox, ult, false);
	} else if (n > 1 && all.migrate && worker_random(worker) % all.migrate == 0) {
		ult->avoid = worker->index;
		to = (worker->index + 1 + worker_random(worker) % (n - 1)) % n;
		queue_push(&all.worker[to].inbox, ult, false);
	} else {
		queue_push(&worker->deque, ult, as_oldest);
	}
}

static struct ult *thread_find(struct worker *worker)
{
	uint32_t n = all.n_workers, start = (uint32_t)(worker_random(worker) % n);
	bool inbox_first = worker->turn++ % 2; /* else one could starve the other */
	struct ult *ult = NULL;

	if (inbox_first)
		ult = queue_take(&worker->inbox, true);
	if (!ult)
		ult = queue_take(&worker->deque, false);
	if (!ult && !inbox_first)
		ult = queue_take(&worker->inbox, true);
	for (uint32_t i = 0; i < n && !ult; i++)
		ult = queue_steal(&all.worker[(start + i) % n].deque, worker->index);
	for (uint32_t i = 0; i < n && !ult; i++)
		ult = queue_steal(&all.worker[(start + i) % n].inbox, worker->index);
	return ult;
}

/* ---- stacks ---- */

#define KEPT_MAX 256

static struct {
	struct ult_lock lock;
	struct ult *first;
	uint32_t n;
} kept; /* ended threads, whose stacks are used again */

static struct ult *thread_reuse(size_t map_bytes)
{
	struct ult **at, *ult;

	ult_lock_acquire(&kept.lock);
	for (at = &kept.first; *at && (*at)->map_bytes != map_bytes; at = &(*at)->younger)
		;
	ult = *at;
	if (ult) {
		*at = ult->younger;
		kept.n--;
	}
	ult_lock_release(&kept.lock);
	return ult;
}

static void thread_free(struct ult *ult)
{
	bool keep = false;

	ult_lock_acquire(&kept.lock);
	if (ult->map && kept.n < KEPT_MAX) {
		ult->younger = kept.first;
		kept.first = ult;
		kept.n++;
		keep = true;
	}
	ult_lock_release(&kept.lock);
	if (keep)
		return;
	if (ult->map)
		munmap(ult->map, ult->map_bytes);
	free(ult);
}

static struct ult *thread_new(size_t stack_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t map_bytes = (stack_bytes + 2 * page - 1) / page * page;
	struct ult *ult = thread_reuse(map_bytes);

	if (ult)
		return ult;
	ult = calloc(1, sizeof(*ult));
	if (!ult)
		return NULL;
	ult->map = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ult->map == MAP_FAILED || mprotect(ult->map, page, PROT_NONE) != 0) {
		if (ult->map != MAP_FAILED)
			munmap(ult->map, map_bytes);
		free(ult);
		return NULL;
	}
	ult->map_bytes = map_bytes;
	return ult;
}

/* ---- the scheduler ---- */

static void worker_idle(int rounds, uint32_t seq)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	if (rounds < IDLE_ROUNDS) {
		sched_yield();
		return;
	}
	atomic_fetch_add(&all.sleepers, 1);
	syscall(SYS_futex, &all.work_seq, FUTEX_WAIT_PRIVATE, seq, &ms, NULL, 0);
	atomic_fetch_sub(&all.sleepers, 1);
}

static void thread_left(struct worker *worker, struct ult *ult)
{
	uint32_t expected = READY;

	switch (worker->why) {
	case RAN_CHILD:
		thread_push(worker, ult, false);
		break;
	case YIELDS:
		thread_push(worker, ult, true);
		break;
	case MOVES:
		ult->pinned = true;
		queue_push(&all.worker[worker->move_to].inbox, ult, false);
		break;
	case PARKS:
		if (!atomic_compare_exchange_strong(&ult->state, &expected, PARKED)) {
			atomic_store(&ult->state, READY); /* woken meanwhile */
			thread_push(worker, ult, false);
		}
		break;
	case EXITS:
		thread_free(ult);
		break;
	}
}

static void worker_schedule(struct worker *worker)
{
	int rounds = 0;

	while (!atomic_load(&all.stopping) || worker->index == 0) {
		uint32_t seq = atomic_load(&all.work_seq);
		struct ult *ult = worker->next ? worker->next : thread_find(worker);

		worker->next = NULL;
		if (!ult) {
			worker_idle(rounds++, seq);
			continue;
		}
		rounds = 0;
		worker->current = ult;
		context_switch(&worker->scheduler, &ult->context);
		worker->current = NULL;
		thread_left(worker, ult);
	}
}

/* Worker 0's: first entered when the thread that called ult_start() leaves. */
static void scheduler_entry(void)
{
	struct worker *worker = worker_here();
	struct ult *ult = worker->current;

	worker->current = NULL;
	thread_left(worker, ult);
	worker_schedule(worker);
}

static void *worker_main(void *arg)
{
	worker_tls = arg;
	worker_schedule(arg);
	worker_tls = NULL;
	return NULL;
}

/* To the scheduler; back on whatever worker resumes the thread. */
static void thread_leave(enum why why)
{
	struct worker *worker = worker_here();

	worker->why = why;
	context_switch(&worker->current->context, &worker->scheduler);
}

static void thread_entry(void)
{
	struct ult *ult = worker_here()->current;

	ult->fn(ult->arg);
	ult_exit();
}

/* ---- what the runtimes above call ---- */

bool ult_started(void)
{
	return atomic_load(&all.started);
}

uint32_t ult_n_workers(void)
{
	return ult_started() ? all.n_workers : 0;
}

uint32_t ult_worker(void)
{
	struct worker *worker = worker_here();

	return worker ? worker->index : NO_WORKER;
}

struct ult *ult_self(void)
{
	struct worker *worker = worker_here();

	return worker ? worker->current : NULL;
}

void *ult_arg(const struct ult *ult)
{
	return ult->arg;
}

struct ult *ult_make(ult_fn fn, void *arg, size_t stack_bytes)
{
	struct ult *ult;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!stack_bytes)
		stack_bytes = all.stack_bytes;
	ult = thread_new(stack_bytes < ULT_STACK_MIN ? ULT_STACK_MIN : stack_bytes);
	if (!ult)
		return NULL;
	ult->older = ult->younger = NULL;
	ult->fn = fn;
	ult->arg = arg;
	atomic_store(&ult->state, PARKED);
	context_make(&ult->context, ult->map + page, ult->map_bytes - page, thread_entry);
	return ult;
}

/* Whether the thread was parked, and is now the caller's to queue. */
static bool thread_unpark(struct ult *ult)
{
	uint32_t state = READY;

	if (atomic_compare_exchange_strong(&ult->state, &state, WOKEN) || state == WOKEN)
		return false;
	atomic_store(&ult->state, READY);
	return true;
}

void ult_wake(struct ult *ult)
{
	if (thread_unpark(ult))
		thread_push(worker_here(), ult, false);
}

void ult_wake_on(struct ult *ult, uint32_t worker)
{
	if (!thread_unpark(ult))
		return;
	ult->pinned = true;
	queue_push(&all.worker[worker % all.n_workers].inbox, ult, false);
}

void ult_run(struct ult *child)
{
	struct worker *worker = worker_here();

	if (!worker) {
		ult_wake(child);
		return;
	}
	atomic_store(&child->state, READY);
	worker->next = child;
	thread_leave(RAN_CHILD);
}

void ult_park(void)
{
	uint32_t woken = WOKEN;

	if (!atomic_compare_exchange_strong(&ult_self()->state, &woken, READY))
		thread_leave(PARKS);
}

void ult_yield(void)
{
	if (!worker_here())
		sched_yield();
	else
		thread_leave(YIELDS);
}

void ult_move(uint32_t worker)
{
	worker_here()->move_to = worker % all.n_workers;
	thread_leave(MOVES);
}

void ult_exit(void)
{
	thread_leave(EXITS);
	__builtin_unreachable();
}

static int migrate_of(const char *setting)
{
	if (!setting || (strcmp(setting, "0") != 0 && strcmp(setting, "1") != 0))
		return 8;
	return setting[0] - '0';
}

static void workers_free(uint32_t n_running)
{
	atomic_store(&all.stopping, true);
	for (uint32_t i = 1; i < n_running; i++)
		pthread_join(all.worker[i].thread, NULL);
	worker_tls = NULL;
	free(all.worker[0].scheduler_stack);
	free(all.worker);
	all.worker = NULL;
	atomic_store(&all.started, false);
}

int ult_start(uint32_t n_workers, size_t stack_bytes, void *arg)
{
	struct ult *self = calloc(1, sizeof(*self));
	uint32_t n = n_workers ? n_workers : 1;
	int err = 0;

	all.worker = calloc(n, sizeof(*all.worker));
	all.n_workers = n;
	all.stack_bytes = stack_bytes;
	all.migrate = migrate_of(getenv("ULT_MIGRATE"));
	atomic_store(&all.stopping, false);
	if (self && all.worker)
		all.worker[0].scheduler_stack = malloc(SCHEDULER_STACK);
	if (!self || !all.worker || !all.worker[0].scheduler_stack) {
		free(self);
		free(all.worker);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		all.worker[i].index = i;
		all.worker[i].random = 0x9e3779b97f4a7c15u * (i + 1);
	}
	context_make(&all.worker[0].scheduler, all.worker[0].scheduler_stack, SCHEDULER_STACK,
		     scheduler_entry);
	self->arg = arg;
	all.worker[0].current = self;
	worker_tls = &all.worker[0];
	atomic_store(&all.started, true);
	for (uint32_t i = 1; i < n && !err; i++) {
		err = -pthread_create(&all.worker[i].thread, NULL, worker_main, &all.worker[i]);
		if (err)
			workers_free(i);
	}
	if (err)
		free(self);
	return err;
}

void ult_stop(void)
{
	struct ult *self = ult_self();

	if (ult_worker() != 0)
		ult_move(0);
	workers_free(all.n_workers);
	free(self);
}
