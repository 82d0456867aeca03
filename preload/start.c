/* SPDX-License-Identifier: MIT */
/* start.c - starts and ends the recording, and gives threads their workers. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/cputime.h"
#include "preload/libc.h"
#include "preload/module.h"
#include "preload/probes.h"
#include "preload/programs.h"
#include "preload/record.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/trial.h"
#include "collector/session/gate.h"
#include "collector/session/preloads.h"
#include "preload/worker_life.h"

#define EVENTS_DEFAULT 65536u /* 1 MiB a worker: with 256 KiB fib takes half as long again */
#define EVENTS_MIN 1024u
#define EVENTS_MAX (1u << 26)
#define CHUNKS_LEAST 4u	    /* of a worker; and one that it fills */
#define LEFT_PARTS 64u	    /* where memory is limited, no worker begins with more of it */
#define WORKER_EXTRA 20480u /* page tables of program and collector, stack, a shim's records */
#define CPUS_STACK_BYTES (512u << 10)

/* Threads that had a worker and have ended, by their pthread_t: bits, which several may share. */
#define ENDED_BITS 1024u
static _Atomic uint64_t ended[ENDED_BITS / 64];

static _Atomic uint64_t *ended_word(uint64_t thread, uint64_t *bit)
{
	uint64_t n = thread * UINT64_C(0x9e3779b97f4a7c15) >> 54;

	*bit = UINT64_C(1) << n % 64;
	return &ended[n / 64];
}

/* What is left of the root behind the signal is a few ns: only a strand can give one. */
static void end_root(struct worker *worker)
{
	uint64_t thread = (uint64_t)pthread_self(), bit;
	_Atomic uint64_t *word = ended_word(thread, &bit);

	record_event(worker, WIRE_SIGNAL, thread);
	record_resume(worker, worker->root);
	atomic_fetch_or(word, bit);
}

/* Ends the thread's open tasks, mostly its root. */
static void thread_exits(void *arg)
{
	struct worker *worker = arg;

	if (worker_state(worker) == WORKER_STRANGE)
		return;				   /* the parent's thread may go on */
	if (worker->task && worker_runs(worker)) { /* else it was cancelled at a wait */
		if (worker->task == worker->root)
			end_root(worker);
		record_end(worker, 0);
	}
	probes_leave(worker);
	worker_tls = NULL;
	cputime_leave(worker);
	worker_detach(worker);
}

static uint64_t first_ticks; /* when the session's first worker came */

/* Chunks for so many bytes of events; 0: as many as do. */
static struct chunk_sizes sizes_for(uint64_t bytes)
{
	uint64_t n = bytes ? EVENTS_MIN : EVENTS_DEFAULT;
	uint64_t slots;

	while (n < EVENTS_MAX && n * sizeof(struct wire_event) < bytes)
		n *= 2;
	slots = n / CHUNKS_LEAST < CHUNK_EVENTS ? n / CHUNKS_LEAST : CHUNK_EVENTS;
	return (struct chunk_sizes){ .n = (uint32_t)(n / slots) + 1, .slots = (uint32_t)slots };
}

static void *compare_cpus(void *cpus)
{
	*(struct clock_cpus *)cpus = clock_cpus_measure();
	return NULL;
}

/* Whether all CPUs have one counter.  A thread of its own finds out: the program's stay where they
 * are.  Forked children know. */
static bool cpus_agree(void)
{
	static struct clock_cpus cpus;
	static bool known;
	pthread_t thread;

	if (!known && libc_start_thread(&thread, CPUS_STACK_BYTES, compare_cpus, &cpus) == 0)
		libc_join_thread(thread, NULL);
	known = true;
	if (cpus.off_ns > CLOCK_OFF_MOST_NS + cpus.unsure_ns)
		session_get()->clock.cpus_off_ns = cpus.off_ns;
	return clock_cpus_agree(&cpus);
}

static enum clock_source choose_clock(enum clock_wish wish)
{
	enum clock_source source = clock_probe(wish, cpus_agree);

	if (wish == CLOCK_WISH_TSC && source == CLOCK_SOURCE_MONOTONIC)
		options_say_bad("TPTRACE_CLOCK", "tsc",
				"the processor does not promise that its time stamp counter keeps "
				"its rate; using monotonic");
	return source;
}

/* By hand; what `record` preloads, and what programs inherit (offspring.h), has each once. */
static void look_at_preloads(void)
{
	const char *list = getenv("LD_PRELOAD");

	if (list && preloads_has_twice(list))
		options_say_bad("LD_PRELOAD", list,
				"has a shim twice, or beside " PRELOADS_ALL
				", which has it, too; only the first records");
}

static void session_begin(struct session *session)
{
	libc_find();
	session_make_home();
	session->pid = (int)getpid();
	options_read(&session->options, true);
	look_at_preloads();
	session->drop = session->options.drop;
	session->chunks = sizes_for(session->options.ring_bytes);
	session->clock = (struct clock){ 0 };
	session->clock.source = choose_clock(session->options.clock);
	session->begin = clock_pair(&session->clock);
	trial_events(session);
	probes_open(session);
	session = session_lock();
	module_scan(session);
	session_unlock(session);
	session_watch_exits(thread_exits);
}

/* Makes room for marks, before there is any worker, and starts stopped if that is asked for. */
static void open_gate(struct session *session)
{
	bool room = shared_reserve(session->mark, sizeof(session->mark));

	atomic_store(&session->gate, 0);
	atomic_store(&session->mark_room, room ? SESSION_MARKS : 0);
	atomic_store(&session->shut, 0);
	if (!session->options.start_off)
		return;
	if (!gate_mark(session, session->begin.ticks, WIRE_MARK_STOP, NULL))
		gate_lose(session, session->begin.ticks);
	atomic_store(&session->shut, (uint32_t)WIRE_LOSS_STOPPED);
}

bool session_start(void)
{
	static _Atomic uint32_t starting;
	struct session *session = session_get();
	uint32_t off = SESSION_OFF;
	int saved = errno;

	session_disown();
	libc_lock(&starting); /* without signals: a handler that records would wait for itself */
	if (atomic_compare_exchange_strong(&session->state, &off, SESSION_STARTING)) {
		const struct collector *collector = session_collector();
		bool on = collector && !options_disabled();

		if (on && !session_may_open()) {
			programs_note_unrecorded(LAUNCHED_FILTERED, 1);
			collector->absent(true);
			on = false;
		}
		if (on) {
			session_begin(session);
			on = collector->start(session) == 0;
		}
		session = session_get();
		if (on)
			open_gate(session);
		session->layout = SESSION_LAYOUT;
		memcpy(session->magic, SESSION_MAGIC, sizeof(session->magic));
		atomic_store(&session->state, on ? SESSION_ON : SESSION_CLOSED);
	}
	libc_unlock(&starting);
	errno = saved;
	return atomic_load(&session_get()->state) == SESSION_ON;
}

/*
 * It is over when the collector has come so far, or here.  A collector outside sees when the
 * process is, and takes all until then.
 */
void session_finish(const char *how)
{
	struct session *session = session_get();

	if (atomic_load(&session->state) < SESSION_ON || !session_is_ours(session))
		return;
	session_collector()->finish(session, how);
	if (!session->outside)
		session_shut_down(session, clock_pair(&session->clock));
}

/* Bytes of a worker with one chunk of so many slots. */
static size_t first_bytes(const struct session *session, uint32_t slots)
{
	return chunk_head_bytes(&session->chunks) + slots * sizeof(struct wire_event);
}

/* The slots that a new worker uses of each chunk, and takes the memory of the first; 0 if too
 * little is left. */
static uint32_t first_slots(const struct session *session)
{
	uint32_t n = session->chunks.slots;
	uint64_t left = budget_left();
	size_t buffer_bytes = session->pending_slots * sizeof(struct wire_event);

	while (n > CHUNK_EVENTS_MIN &&
	       2 * first_bytes(session, n) + buffer_bytes > left / LEFT_PARTS)
		n /= 2;
	return budget_take(first_bytes(session, n) + buffer_bytes + WORKER_EXTRA, BUDGET_NEEDED)
		       ? n
		       : 0;
}

/*
 * A further worker, in shared memory if the session is there.  Chunks that only this process has
 * will do for a collector inside it.
 */
static struct worker *add_worker(struct session *session)
{
	uint32_t n = atomic_load(&session->n_workers);
	const struct clock *slow_clock = clock_slow(&session->clock);
	struct worker *worker = NULL;
	uint32_t n_slots;
	void *memory;

	if (n == WIRE_WORKERS || !budget_allows(worker_place(&session->chunks)) ||
	    !shared_reserve(session, offsetof(struct session, module)))
		return NULL;
	n_slots = first_slots(session);
	if (!n_slots)
		return NULL;
	memory = shared_more(WORKER_PAGE, shared_pages(first_bytes(session, n_slots)));
	if (memory)
		worker = worker_make(memory, n, &session->chunks, n_slots, slow_clock);
	else if (!session->outside)
		worker = worker_map(n, &session->chunks, n_slots, slow_clock);
	if (worker) {
		worker->thins = session_collector()->thin && session->pending_slots &&
				budget_take(session_collector()->thinner_bytes(), BUDGET_MORE);
		atomic_store(&worker->in_use, 1);
		if (n == 0)
			first_ticks = worker_ticks(worker);
		session_put_worker(n, worker);
		atomic_store(&session->n_workers, n + 1);
		/* gate_shut() and gate_freeze() may have missed it */
		if (atomic_load(&session->shut) || atomic_load(&session->frozen))
			atomic_store(&worker->limit, 0);
	}
	return worker;
}

/* Counts a call that is not recorded: from a signal handler (n_barred), or from a task of a thread
 * that was refused (n_foreign).  The worker, if it may go on after all. */
static struct worker *worker_barred(struct worker *worker)
{
	struct session *session = session_get();

	if (worker_state(worker) == WORKER_OUTSIDE && !worker->task)
		return worker;
	if (worker_state(worker) == WORKER_STRANGE)
		session_disown();
	else if (atomic_load(&session->state) == SESSION_ON)
		atomic_fetch_add(worker_state(worker) == WORKER_OUTSIDE &&
						 atomic_load(&session->n_refused)
					 ? &session->n_foreign
					 : &session->n_barred,
				 1);
	return NULL;
}

/* One whose thread has ended, now the caller's.  Without the session's lock: workers stay. */
static struct worker *free_worker(const struct session *session)
{
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = session_worker(i);

		if (!atomic_load_explicit(&worker->in_use, memory_order_relaxed) &&
		    !atomic_exchange(&worker->in_use, 1))
			return worker;
	}
	return NULL;
}

/* fresh: none that another thread had. */
static struct worker *attach(bool fresh)
{
	struct session *session = session_get();
	static __thread int refused_by __attribute__((tls_model("initial-exec"))); /* its pid */
	int saved = errno;
	struct worker *worker = NULL;

	if (worker_self())
		return worker_barred(worker_self());
	if (atomic_load_explicit(&session->state, memory_order_relaxed) == SESSION_CLOSED)
		return NULL;
	session_disown();
	session = session_get();
	if (atomic_load_explicit(&session->state, memory_order_acquire) != SESSION_ON &&
	    !session_start())
		return NULL;
	session = session_get();
	if (refused_by == session->pid) /* for good: half a thread's events make no sense */
		return NULL;
	if (!fresh)
		worker = free_worker(session);
	if (!worker) {
		session = session_lock();
		worker = add_worker(session);
		session_unlock(session);
	}
	if (worker) {
		worker_tls = worker;
		session_watch_thread(worker);
		if (cputime_come(worker))
			gate_wake(session); /* whoever takes samples begins with it */
		probes_come(worker);
	} else {
		refused_by = session->pid;
		atomic_fetch_add(&session->n_refused, 1);
	}
	errno = saved;
	return worker;
}

/*
 * The newest threads that the main thread made before anything was recorded, by pthread_t; it alone
 * looks here.  Its root begins where the recording does, as theirs may, and signals them there.
 */
#define EARLY_MOST 256u
static uint64_t early[EARLY_MOST];
static _Atomic uint32_t n_early;

static bool is_main(void)
{
	return syscall(SYS_gettid) == syscall(SYS_getpid);
}

static bool is_early(void)
{
	return n_early && is_main();
}

uint64_t *record_early(uintptr_t return_address)
{
	if (worker_self() || atomic_load(&session_get()->state) != SESSION_OFF || !is_main() ||
	    record_runtime_calls(return_address))
		return NULL;
	early[n_early % EARLY_MOST] = 0;
	return &early[n_early++ % EARLY_MOST];
}

struct worker *worker_attach(void)
{
	return attach(is_early());
}

uint64_t record_since(void)
{
	uint64_t started_ticks = atomic_load(&session_get()->started_ticks);

	return first_ticks > started_ticks ? first_ticks : started_ticks;
}

static void signal_early(struct worker *worker, uint64_t ticks)
{
	for (uint32_t i = n_early < EARLY_MOST ? 0 : n_early - EARLY_MOST; i < n_early; i++) {
		record_event_at(worker, ticks, WIRE_SIGNAL, early[i % EARLY_MOST]);
		record_event_at(worker, ticks, WIRE_RESUME, worker->task);
	}
	n_early = 0;
	worker_turn(worker, WORKER_INSIDE);
}

/* beside: as no worker until it runs tasks.  follows: a thread's name, or 0. */
static void make_root(struct worker *worker, bool beside, uint64_t follows)
{
	uint64_t ticks = is_early() ? record_since() : 0;

	if (!worker_make_root(worker, ticks))
		return;
	if (beside)
		record_detail(worker, WIRE_NO_WORKER, 0);
	if (beside || follows)
		record_detail(worker, WIRE_FOLLOWS, follows);
	if (ticks)
		signal_early(worker, ticks);
}

void record_root(struct worker *worker)
{
	uint32_t thread = atomic_load(&worker->cpu.thread);
	bool made = thread && thread != (uint32_t)session_get()->pid;

	make_root(worker, false, made ? (uint64_t)pthread_self() : 0);
}

/*
 * The thread is beside the workers: it gets a worker that no thread had before: `no-worker` says
 * that of all that ran there, and a thread that has just ended is likely to have left its own.
 * NULL if nothing is recorded.
 */
static struct worker *attach_beside(uint64_t joined)
{
	struct worker *worker =
		atomic_load(&session_get()->state) == SESSION_ON ? attach(true) : NULL;

	if (worker)
		make_root(worker, true, joined);
	return worker;
}

void record_joined(uint64_t thread)
{
	uint64_t bit;
	const _Atomic uint64_t *word = ended_word(thread, &bit);

	if (!worker_self() && atomic_load(word) & bit)
		attach_beside(thread);
}

struct worker *record_beside(void)
{
	return worker_self() ? NULL : attach_beside(0);
}

struct worker *record_main(uintptr_t return_address)
{
	struct worker *worker = worker_self();

	if (atomic_load(&session_get()->state) != SESSION_ON || !is_main() ||
	    (worker && (worker->task || worker_state(worker) != WORKER_OUTSIDE)) ||
	    record_runtime_calls(return_address))
		return NULL;
	if (!worker)
		return attach_beside(0);
	make_root(worker, false, 0); /* it has called a runtime, for no task */
	return worker;
}
