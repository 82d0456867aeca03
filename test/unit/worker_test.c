/* SPDX-License-Identifier: MIT */
/*
 * worker_test.c - a worker's chunks: order, waits, losses and their notes, and slots that are used
 * again.  The recorder is built into the test, because libtptrace.so hides what is looked at;
 * the collector does nothing.
 */
#if defined(__x86_64__)
#include <cpuid.h>
static int cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d);
#define __get_cpuid cpuid /* a processor that the test chooses */
#endif
static const char *clocksources = "/sys/devices/system/clocksource/clocksource0";
#define CLOCKSOURCES clocksources /* and a kernel */
#define TEST_POINTS
#include "collector/session/cgroup.c"	   /* NOLINT */
#include "collector/session/chunk.c" /* NOLINT */
#include "collector/session/clock.c" /* NOLINT */
#include "preload/cputime.c"	   /* NOLINT */
#include "preload/control.c"	   /* NOLINT */
#include "preload/libc.c"	   /* NOLINT */
#include "preload/module.c"	   /* NOLINT */
#include "preload/own_cost.c"	   /* NOLINT */
#include "preload/probes.c"	   /* NOLINT */
#include "preload/record.c"	   /* NOLINT */
#include "preload/record.h"
#include "preload/budget.c"	    /* NOLINT */
#include "preload/session.c"	    /* NOLINT */
#include "collector/session/shared.c" /* NOLINT */
#include "preload/stack.c"	    /* NOLINT */
#include "preload/store.c"	    /* NOLINT */
#include "preload/start.c"	    /* NOLINT */
#include "preload/thin.c"	    /* NOLINT */
#include "preload/trial.c"	    /* NOLINT */
#include "preload/watch.c"	    /* NOLINT */
#include "preload/worker.c"	    /* NOLINT */

#include "test/lib/test.h"
#include "test/lib/collector.h"
#include "test/unit/random.h"

#define MANY 1000000u
#define N_CHUNKS 5u
#define TASK 77u

/* ---- the two ends ---- */

/* Records event number `seq`: a CREATE whose site is that number, and an id.  Whether it fit. */
static bool put(struct worker *worker, uint64_t seq)
{
	uint64_t head = worker->head;

	worker->task = TASK; /* runs, whatever is lost */
	record_event(worker, WIRE_CREATE, seq);
	record_next_id(worker);
	return worker->head != head;
}

/* The events that came out of a ring so far, and whether they are valid. */
struct account {
	uint64_t next_seq, lost, n_tracer, tracer_ticks, last_ticks, n_taken;
	uint64_t last_kind, since, why;
	const char *wrong;
};

/* Events have the low 56 bits of their times: with the kernel's clock, 2.3 years.  0: there is none. */
static bool is_before(uint64_t ticks, uint64_t then)
{
	return then && (int64_t)((ticks - then) << 8) < 0;
}

static void account_for(struct account *account, const struct wire_event *event)
{
	uint64_t kind = event_kind(event);

	account->n_taken++;
	if ((account->last_kind == WIRE_LOST) != (kind == WIRE_SINCE) ||
	    (account->last_kind == WIRE_SINCE) != (kind == WIRE_UNTIL) ||
	    (account->last_kind == WIRE_UNTIL && kind != WIRE_LOST && kind != WIRE_NEXT_ID) ||
	    (account->last_kind == WIRE_NEXT_ID) != (kind == WIRE_RESUME))
		account->wrong = "notes of a gap are out of order";
	account->last_kind = kind;
	switch (kind) {
	case WIRE_CREATE:
		if (event->b != account->next_seq++)
			account->wrong = "an event is out of order";
		if (is_before(event_ticks(event), account->last_ticks))
			account->wrong = "time steps back";
		account->last_ticks = event_ticks(event);
		break;
	case WIRE_LOST:
		account->why = lost_why(event->b);
		account->next_seq += lost_n(event->b);
		account->lost += lost_n(event->b);
		if ((lost_n(event->b)) == 0 || event_ticks(event))
			account->wrong = "a LOST of nothing, or with a time";
		break;
	case WIRE_NEXT_ID:
		if (event->b != account->next_seq || event_ticks(event))
			account->wrong = "NEXT_ID is not the ids given so far";
		break;
	case WIRE_SINCE:
		account->since = event->b;
		if (is_before(event->b, account->last_ticks))
			account->wrong = "a gap begins before the event before it";
		break;
	case WIRE_UNTIL:
		if (is_before(event->b, account->since))
			account->wrong = "a gap ends before it begins";
		break;
	case WIRE_RESUME:
		if (event->b != TASK || is_before(event_ticks(event), account->since))
			account->wrong = "another task runs after the gap";
		account->last_ticks = event_ticks(event);
		break;
	case WIRE_TRACER:
		account->n_tracer++;
		account->tracer_ticks += event->b;
		if (event->b == 0 || event_ticks(event))
			account->wrong = "a TRACER of no time, or at a time";
		break;
	default:
		account->wrong = "an event that nobody put";
	}
}

/* Takes up to n_most events as stream_take() does, and gets on as collectors do, or no producer
 * would wait longer than WATCH_PATIENCE_NS in all.  How many. */
static uint64_t take(struct worker *worker, struct account *account, uint64_t n_most)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed), taken = 0;
	struct chunk_events events;

	atomic_fetch_add(&session_get()->beat, 1);
	while (taken < n_most && chunk_find(worker, &worker->sizes, tail, &events)) {
		uint64_t n = events.n < n_most - taken ? events.n : n_most - taken;

		if (events.n > worker->chunk_slots)
			account->wrong = "more events than slots";
		for (uint64_t i = 0; i < n; i++)
			account_for(account, &events.slot[i]);
		tail += n;
		taken += n;
	}
	atomic_store_explicit(&worker->tail, tail, memory_order_release);
	if (chunk_release(worker, &worker->sizes, tail, CHUNK_TAKEN)) {
		atomic_fetch_add(&worker->releases, 1);
		if (atomic_load(&worker->waiting))
			futex_wake(&worker->releases);
	}
	return taken;
}

/* The event of that number, which nobody has released. */
static const struct wire_event *event_no(struct worker *worker, uint64_t number)
{
	struct chunk_events events;

	assert_true(chunk_find(worker, &worker->sizes, number, &events));
	return events.slot;
}

static void check_account(const struct account *account)
{
	if (account->wrong)
		fail_msg("%s, after %llu events", account->wrong,
			 (unsigned long long)account->n_taken);
}

/* Before each test, whatever the last one did. */
static int session_on(void **state)
{
	struct session *session = session_get();

	session_start();
	atomic_store(&session->state, SESSION_ON);
	session->drop = false;
	return 0;
}

#define WORKER_TEST(test) TEST_WITH(test, session_on, NULL)

/* Chunks of so many events, besides what stays free in each. */
static struct chunk_sizes sizes_of(uint32_t n_chunks, uint64_t n_events)
{
	return (struct chunk_sizes){ n_chunks, (uint32_t)n_events + CHUNK_SPARE };
}

/* A worker of this test, with a quarter of so many events in each of N_CHUNKS. */
static struct worker *map_by(uint32_t index, uint64_t n_events, const struct clock *clock)
{
	const struct chunk_sizes sizes = sizes_of(N_CHUNKS, n_events / (N_CHUNKS - 1));

	return worker_map(index, &sizes, sizes.slots, clock);
}

/* With the clock that the session has. */
static struct worker *map_worker(uint32_t index, uint64_t n_events)
{
	return map_by(index, n_events, clock_slow(&session_get()->clock));
}

static const struct clock by_kernel = { .source = CLOCK_SOURCE_MONOTONIC };

/* ---- one thread ---- */

/* The producer fills all its chunks, and wakes the collector once half of them are full. */
WORKER_TEST(test_limits)
{
	struct session *session = session_get();

	session->drop = true;
	for (uint64_t n = 16; n <= 1024; n *= 2) {
		struct worker *worker = map_worker(3, n * (N_CHUNKS - 1));
		uint32_t wake = atomic_load(&session->wake);
		struct account account = { 0 };

		for (uint64_t i = 0; i < n * N_CHUNKS; i++) {
			assert_true(put(worker, i));
			assert_int_equal(atomic_load(&session->wake) != wake,
					 i >= n * (N_CHUNKS / 2));
		}
		assert_int_equal(worker->head, n * N_CHUNKS);
		for (uint64_t i = 0; i < 5; i++)
			assert_false(put(worker, n * N_CHUNKS + i));
		assert_int_equal(worker->head, n * N_CHUNKS);
		assert_int_equal(worker->lost, 5);
		assert_int_equal(take(worker, &account, UINT64_MAX), n * N_CHUNKS);
		assert_true(put(worker, n * N_CHUNKS + 5));
		take(worker, &account, UINT64_MAX);
		check_account(&account);
		assert_int_equal(account.lost, 5);
		assert_int_equal(account.next_seq, n * N_CHUNKS + 6);
		worker_unmap(worker);
	}
}

/*
 * Any number of events is taken at any time, one of them too: never are there more events than
 * slots, and the count of missing events is exact.
 */
WORKER_TEST(test_drop)
{
	struct session *session = session_get();
	struct random random = { 1 };

	session->drop = true;
	for (int round = 0; round < 400; round++) {
		uint64_t n_events = 64u << random_below(&random, 4);
		uint64_t most = random_one_in(&random, 2) ? 4 : n_events;
		struct worker *worker = map_by(1, n_events, round % 2 ? &by_kernel : NULL);
		struct account account = { 0 };
		uint64_t n_failed = 0;

		for (uint64_t seq = 0; seq < 20 * n_events; seq++) {
			n_failed += !put(worker, seq);
			if (random_one_in(&random, 1 + most / 2))
				take(worker, &account, 1 + random_below(&random, most));
		}
		take(worker, &account, UINT64_MAX);
		check_account(&account);
		assert_int_equal(worker->lost, n_failed);
		assert_int_equal(account.lost + worker->gap[WIRE_LOSS_RING].n, n_failed);
		assert_int_equal(account.next_seq + worker->gap[WIRE_LOSS_RING].n, 20 * n_events);
		assert_int_equal(account.n_tracer, 0);
		worker_unmap(worker);
	}
}

/* A worker takes the memory of a further chunk only where no other is free; and without memory for
 * one it goes on with those that it has. */
WORKER_TEST(test_stays_small)
{
	struct account account = { 0 };
	struct worker *worker = map_worker(1, 256);

	for (uint64_t seq = 0; seq < 4096; seq++) {
		assert_true(put(worker, seq));
		if (seq % 16 == 0)
			take(worker, &account, UINT64_MAX);
	}
	assert_in_range(worker->n_chunks, 1, 2);
	take(worker, &account, UINT64_MAX);
	check_account(&account);
	worker_unmap(worker);
	worker = map_worker(1, 256);
	budget_forget();
	budget.most = budget.seen = 1; /* a limit that leaves nothing */
	budget.asking = 1;
	session_get()->drop = true;
	for (uint64_t seq = 0; seq < 64; seq++)
		assert_true(put(worker, seq));
	assert_false(put(worker, 64));
	assert_int_equal(worker->n_chunks, 1);
	memset(&account, 0, sizeof(account));
	take(worker, &account, UINT64_MAX);
	assert_true(put(worker, 65));
	budget_forget();
	worker_unmap(worker);
}

/* Nothing is recorded once the session is closed, not even what would still fit after a look. */
WORKER_TEST(test_closed)
{
	struct session *session = session_get();
	struct worker *worker = map_worker(1, 64);

	atomic_store(&session->state, SESSION_CLOSED);
	for (uint64_t i = 0; i < 16; i++)
		assert_true(put(worker, i));
	for (uint64_t i = 0; i < 9; i++)
		assert_false(put(worker, i));
	assert_int_equal(worker->head, 16);
	assert_int_equal(worker->lost, 0); /* what is done then is of no interest */
	assert_null(worker_attach());
	worker_unmap(worker);
}

/* While recording is stopped, no event is stored from the next one on, and the gap covers all. */
WORKER_TEST(test_stop)
{
	struct session *session = session_get();
	struct random random = { 2 };
	struct worker *worker;
	struct account account = { 0 };
	uint64_t seq = 0, n_failed = 0;

	worker = map_worker(0, 64);
	atomic_store(&worker_of[0], worker);
	atomic_store(&session->n_workers, 1);
	for (int round = 0; round < 300; round++) {
		for (uint64_t i = random_below(&random, 40); i > 0; i--)
			assert_true(put(worker, seq++));
		take(worker, &account, UINT64_MAX);
		assert_true(gate_stop(session, session_worker_at, NULL));
		assert_false(gate_stop(session, session_worker_at, NULL));
		for (uint64_t i = random_below(&random, 40); i > 0; i--, n_failed++)
			assert_false(put(worker, seq++));
		assert_true(gate_start(session));
		assert_false(gate_start(session));
		assert_true(put(worker, seq++));
		take(worker, &account, UINT64_MAX);
		check_account(&account);
		assert_int_equal(account.lost, n_failed);
		assert_int_equal(account.next_seq, seq);
		session->marks_taken = session->n_marks;
	}
	assert_int_equal(account.why, WIRE_LOSS_STOPPED);
	assert_int_equal(worker->lost, 0);
	atomic_store(&session->n_workers, 0);
	atomic_store(&worker_of[0], NULL);
	worker_unmap(worker);
}

/* An event that may not follow a gap is dropped with it; a strand that began in it is known. */
WORKER_TEST(test_stop_between)
{
	struct session *session = session_get();
	struct worker *worker = map_worker(0, 64);
	uint64_t began;

	atomic_store(&worker_of[0], worker);
	atomic_store(&session->n_workers, 1);
	record_root(worker);
	record_create(worker, 1, 0);
	gate_stop(session, session_worker_at, NULL);
	record_detail(worker, WIRE_DEPEND, 5);
	record_resume(worker, worker->task);
	record_create(worker, 1, 0);
	gate_start(session);
	record_detail(worker, WIRE_DEPEND, 6);
	record_event(worker, WIRE_DISCARD, 9);
	assert_int_equal(worker->head, 2);
	record_resume(worker, worker->task);
	assert_int_equal(worker->head, 7);
	assert_int_equal(event_no(worker, 2)->b, lost_make(5, WIRE_LOSS_STOPPED));
	assert_int_equal(event_no(worker, 5)->b, worker->n_ids);
	assert_int_equal(event_kind(event_no(worker, 6)), WIRE_RESUME);
	gate_stop(session, session_worker_at, NULL);
	record_wait(worker, 1, WIRE_WAIT_CHILDREN);
	began = worker_ticks(worker);
	record_resume(worker, worker->task);
	gate_start(session);
	record_end(worker, 0);
	assert_int_equal(event_kind(event_no(worker, 11)), WIRE_RESUME);
	assert_true(event_ticks(event_no(worker, 11)) >= began);
	assert_int_equal(event_ticks(event_no(worker, 11)), atomic_load(&session->started_ticks));
	assert_int_equal(event_kind(event_no(worker, 12)), WIRE_END);
	atomic_store(&session->n_workers, 0);
	atomic_store(&worker_of[0], NULL);
	worker_unmap(worker);
}

/* Events that one call stores are the same wherever in a chunk they come, by either clock, and
 * none takes a slot that is to be free. */
WORKER_TEST(test_record_together)
{
	static const struct wire_event want[] = {
		{ WIRE_WAIT, 9 | (uint64_t)WIRE_WAIT_NAMED << 32 },
		{ WIRE_OBJECT, 0xa },
		{ WIRE_RESUME, TASK },
		{ WIRE_NAME, 0xb },
		{ WIRE_CREATE, 8 },
		{ WIRE_NAME, 0xc },
		{ WIRE_BAG, 0xd },
	};
	enum { SLOTS = 64, N = sizeof(want) / sizeof(want[0]) };

	session_get()->drop = true;
	for (uint64_t at = 0; at <= 2 * SLOTS; at++) {
		const struct chunk_sizes sizes = sizes_of(2, SLOTS);
		struct worker *worker =
			worker_map(3, &sizes, sizes.slots, at % 2 ? &by_kernel : NULL);
		uint64_t last_ticks = 0;

		worker->task = TASK;
		for (uint64_t i = 0; i < at; i++)
			record_detail(worker, WIRE_HANDLE, i);
		worker_turn(worker, WORKER_INSIDE);
		record_wait_for(worker, 9, WIRE_WAIT_NAMED, 0xa);
		record_resume_named(worker, TASK, 0xb);
		assert_int_equal(worker_state(worker), WORKER_INSIDE);
		record_create_named_at(worker, record_ticks(worker), 8, 0xc, 0xd);
		assert_int_equal(worker_state(worker), WORKER_OUTSIDE);
		assert_int_equal(worker->n_ids, 1);
		assert_in_range(worker->head, at, 2 * SLOTS);
		assert_int_equal(worker->head - at + worker->lost, N);
		for (uint64_t i = 0; at + i < worker->head; i++) {
			const struct wire_event *event = event_no(worker, at + i);

			assert_int_equal(event_kind(event), want[i].a);
			assert_int_equal(event->b, want[i].b);
			if (kind_timed(event_kind(event)))
				assert_true(event_ticks(event) >= last_ticks);
			else
				assert_int_equal(event_ticks(event), 0);
			if (kind_timed(event_kind(event)))
				last_ticks = event_ticks(event);
		}
		worker_unmap(worker);
	}
}

/* Each call of record.h writes the events that wire.h says. */
WORKER_TEST(test_record)
{
	static const struct wire_event want[] = {
		{ WIRE_ROOT, 0 },
		{ WIRE_CREATE, 7 | UINT64_C(5) << 32 },
		{ WIRE_RESUME, 0x10001 },
		{ WIRE_BEGIN, 0x10002 },
		{ WIRE_HANDLE, 0xabc },
		{ WIRE_END, 0 },
		{ WIRE_FORK, 8 | UINT64_C(1) << 32 },
		{ WIRE_MEMBER, 0x10003 },
		{ WIRE_WAIT, 9 | UINT64_C(3) << 32 },
		{ WIRE_END, 0 },
		{ WIRE_ROOT, 0 },
		{ WIRE_YIELD, 1 },
	};
	struct worker *worker = map_worker(1, 64);
	const uint64_t base = UINT64_C(1) << WIRE_ID_WORKER_SHIFT;
	uint64_t last_ticks = 0;

	assert_true(record_create(worker, 7, 5) == base + 2); /* its root took the first */
	assert_true(worker->task == base + 1);
	record_resume(worker, base + 1);
	record_begin(worker, base + 2);
	assert_true(worker->task == base + 2);
	record_detail(worker, WIRE_HANDLE, 0xabc);
	record_end(worker, base + 1);
	assert_true(worker->task == base + 1);
	assert_true(record_fork(worker, 8, WIRE_FORK_TEAM) == base + 3);
	assert_true(record_member(worker, base + 3) == base + 4);
	assert_true(worker->task == base + 4);
	record_wait(worker, 9, WIRE_WAIT_TEAM);
	record_end(worker, 0);
	record_end_strand(worker, WIRE_YIELD, 1);
	assert_true(worker->task == base + 5);
	assert_int_equal(worker->head, sizeof(want) / sizeof(want[0]));
	for (uint64_t i = 0; i < worker->head; i++) {
		uint64_t b = want[i].b, ticks = event_ticks(event_no(worker, i));

		if (b >> 16 == 1) /* an id */
			b = base + (b & 0xffff);
		assert_int_equal(event_kind(event_no(worker, i)), want[i].a);
		assert_true(event_no(worker, i)->b == b);
		assert_true(kind_timed(want[i].a) ? ticks >= last_ticks : ticks == 0);
		last_ticks = ticks ? ticks : last_ticks;
	}
	worker_unmap(worker);
}

/* ---- a handler after each instruction ---- */

#if defined(__x86_64__)
#define STEP_FLAG 0x100u

static struct worker *stepped;
static uint64_t n_stepped; /* strands that the handler ended */

/* As one that calls the runtime from the program's code. */
static void step(int number)
{
	if (worker_state(stepped) != WORKER_INSIDE)
		return;
	record_event(stepped, WIRE_YIELD, n_stepped++);
	record_resume(stepped, stepped->task);
}

static __attribute__((noinline)) void record_in_steps(struct worker *worker)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | STEP_FLAG);
	record_wait(worker, 1, WIRE_WAIT_CHILDREN);
	record_resume(worker, TASK);
	record_wait_for(worker, 1, WIRE_WAIT_NAMED, 1);
	record_resume_named(worker, TASK, 1);
	record_create_named_at(worker, record_ticks(worker), 1, 1, 1);
	record_resume(worker, TASK);
	record_end(worker, TASK);
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(uint64_t)STEP_FLAG);
}
#endif

/* Whatever a handler records where it is allowed to, no event overwrites another. */
WORKER_TEST(test_steps)
{
#if !defined(__x86_64__)
	skip();
#else
	static const uint8_t want[] = { WIRE_WAIT,   WIRE_RESUME, WIRE_WAIT,   WIRE_OBJECT,
					WIRE_RESUME, WIRE_NAME,	  WIRE_CREATE, WIRE_NAME,
					WIRE_BAG,    WIRE_RESUME, WIRE_END };
	struct sigaction action = { .sa_handler = step }, saved;
	uint64_t n_own = 0, n_seen = 0;

	stepped = map_worker(3, 1u << 14); /* one chunk is enough */
	stepped->task = TASK;
	worker_turn(stepped, WORKER_INSIDE);
	sigaction(SIGTRAP, &action, &saved);
	record_in_steps(stepped);
	sigaction(SIGTRAP, &saved, NULL);
	for (uint64_t i = 0; i < stepped->head; i++) {
		if (event_kind(event_no(stepped, i)) == WIRE_YIELD) {
			assert_int_equal(event_no(stepped, i)->b, n_seen++);
			assert_int_equal(event_kind(event_no(stepped, ++i)), WIRE_RESUME);
		} else {
			assert_in_range(n_own, 0, sizeof(want) - 1);
			assert_int_equal(event_kind(event_no(stepped, i)), want[n_own++]);
		}
	}
	assert_int_equal(n_own, sizeof(want));
	assert_int_equal(n_seen, n_stepped);
	assert_in_range(n_seen, sizeof(want), 1000);
	worker_unmap(stepped);
#endif
}

/* The state that a signal handler finds wherever it comes, and what it may do there. */
WORKER_TEST(test_handler)
{
	struct session *session = session_get();
	struct worker *worker = record_worker(), *before = worker;
	uint64_t head;

	assert_ptr_equal(record_worker_inside(), worker); /* in no task */
	record_create(worker, 1, 0);
	assert_null(record_worker_inside()); /* the runtime was called, and not by a task */
	assert_ptr_equal(record_worker(), worker);
	assert_int_equal(session->n_barred, 1);
	record_detail(worker, WIRE_NAME, 5);
	assert_int_equal(worker_state(worker), WORKER_OUTSIDE);
	record_resume(worker, worker->task);
	assert_ptr_equal(record_worker_inside(), worker);
	record_detail(worker, WIRE_GROUP, 0);
	assert_int_equal(worker_state(worker), WORKER_INSIDE);
	record_event(worker, WIRE_DISCARD, 9);
	assert_int_equal(worker_state(worker), WORKER_INSIDE);
	record_event_at(worker, record_ticks(worker), WIRE_RESUME, 7);
	assert_int_equal(worker_state(worker), WORKER_OUTSIDE); /* it is not the program's yet */
	for (enum worker_state now = WORKER_STRANGE; now <= WORKER_STORING; now++) {
		uint64_t n_ids = worker->n_ids, task = worker->task;

		head = worker->head;
		worker_turn(worker, now);
		assert_null(record_worker());
		assert_null(record_worker_inside());
		record_event(worker, WIRE_WAIT, 1);
		record_detail(worker, WIRE_OBJECT, 1);
		record_event_at(worker, record_ticks(worker), WIRE_END, 0);
		record_resume(worker, task);
		record_strand_at(worker, 1, worker_limit(worker), WIRE_BEGIN, task);
		record_root(worker);
		record_end(worker, task);
		assert_int_equal(worker->head, head);
		assert_int_equal(worker->n_ids, n_ids);
		assert_int_equal(worker_state(worker), now);
	}
	assert_int_equal(session->n_barred, 3); /* but for those of a stranger */
	assert_int_equal(session->n_foreign, 0);
	atomic_store(&session->n_refused, 1); /* a task of that thread's may run within a wait */
	assert_null(record_worker());	      /* within the recorder: a handler for certain */
	assert_int_equal(session->n_barred, 4);
	worker_turn(worker, WORKER_OUTSIDE);
	assert_null(record_worker_inside());
	assert_int_equal(session->n_barred, 4);
	assert_int_equal(session->n_foreign, 1);
	atomic_store(&session->n_refused, 0);
	assert_ptr_equal(worker_self(), before);
	worker_turn(worker, WORKER_OUTSIDE);
	record_end(worker, 0);
	assert_ptr_equal(record_worker_inside(), worker);
}

/* ---- two threads ---- */

struct producer {
	pthread_t thread;
	struct worker *worker;
	uint64_t n, n_failed;
	int saved_errno;
	_Atomic bool done;
};

static void *produce(void *arg)
{
	struct producer *producer = arg;

	errno = 77;
	for (uint64_t seq = 0; seq < producer->n; seq++)
		producer->n_failed += !put(producer->worker, seq);
	producer->saved_errno = errno;
	atomic_store(&producer->done, true);
	return NULL;
}

static void producer_start(struct producer *producer, uint64_t n_slots, uint64_t n)
{
	*producer = (struct producer){ .worker = map_worker(2, n_slots), .n = n };
	assert_non_null(producer->worker);
	assert_int_equal(pthread_create(&producer->thread, NULL, produce, producer), 0);
}

static void producer_join(struct producer *producer)
{
	pthread_join(producer->thread, NULL);
	assert_int_equal(producer->saved_errno, 77); /* a wait does not touch the program's */
	worker_unmap(producer->worker);
}

/* Whether the producer waits for a chunk; until then, or until it is done. */
static bool sleeps(struct producer *producer)
{
	while (!atomic_load(&producer->done)) {
		if (atomic_load(&producer->worker->waiting))
			return true;
		sched_yield();
	}
	return false;
}

/*
 * Full chunks make the producer wait until something is taken, however little: it goes on only
 * with room for its notes, and says how long it was held.
 */
WORKER_TEST(test_flush_by_steps)
{
	for (uint64_t n_slots = 64; n_slots <= 256; n_slots *= 2)
		for (uint64_t step = 1; step <= 13; step++) {
			struct account account = { 0 };
			struct producer producer;

			producer_start(&producer, n_slots, 5 * n_slots);
			while (sleeps(&producer)) {
				take(producer.worker, &account, step);
			}
			while (take(producer.worker, &account, UINT64_MAX))
				;
			if (account.wrong)
				print_message("[ %llu slots, %llu at a time ]\n",
					      (unsigned long long)n_slots,
					      (unsigned long long)step);
			check_account(&account);
			assert_int_equal(account.next_seq, 5 * n_slots);
			assert_true(account.n_tracer > 0 && account.lost == 0);
			assert_int_equal(producer.n_failed, 0);
			producer_join(&producer);
		}
}

/* How long it was held is what it says, and nothing is recorded meanwhile. */
WORKER_TEST(test_held)
{
	const uint64_t pause_ns = 20000000;
	struct account account = { 0 };
	struct producer producer;
	struct clock_pair before, after;

	before = clock_pair(&session_get()->clock);
	producer_start(&producer, 64, 100);
	assert_true(sleeps(&producer));
	struct timespec pause = { .tv_nsec = (long)pause_ns };

	nanosleep(&pause, NULL);
	assert_int_equal(atomic_load(&producer.worker->head), 80);
	take(producer.worker, &account, UINT64_MAX);
	while (!atomic_load(&producer.done))
		take(producer.worker, &account, UINT64_MAX);
	after = clock_pair(&session_get()->clock);
	take(producer.worker, &account, UINT64_MAX);
	check_account(&account);
	double ns_a_tick = (double)(after.ns - before.ns) / (double)(after.ticks - before.ticks);
	double held_ns = (double)account.tracer_ticks * ns_a_tick;

	assert_true(account.n_tracer >= 1);
	assert_true(held_ns > .9 * (double)pause_ns && held_ns < (double)(after.ns - before.ns));
	producer_join(&producer);
}

/* The session closes while the producer waits: it gives up, and does so soon. */
WORKER_TEST(test_closed_while_waiting)
{
	struct session *session = session_get();
	struct producer producer;

	producer_start(&producer, 64, 100);
	assert_true(sleeps(&producer));
	atomic_store(&session->state, SESSION_CLOSED);
	pthread_join(producer.thread, NULL);
	assert_int_equal(producer.n_failed, 100 - 80);
	assert_int_equal(producer.worker->lost, 0);
	worker_unmap(producer.worker);
}

/* How often the recording was started again at the instant of that name. */
static const char *_Atomic restarts_at;
static _Atomic uint32_t n_restarts;

void test_point(const char *name)
{
	const char *at = atomic_load(&restarts_at);

	if (at && strcmp(name, at) == 0)
		atomic_fetch_add(&n_restarts, gate_start(session_get()) == GATE_TURNED);
}

/* It waits for a chunk, finds the recording stopped, and is overtaken by the next start: it waits
 * again, and loses nothing. */
WORKER_TEST(test_started_while_waiting)
{
	struct session *session = session_get();
	struct account account = { 0 };
	struct producer producer;

	producer_start(&producer, 64, 100);
	assert_true(sleeps(&producer));
	atomic_store(&n_restarts, 0);
	atomic_store(&restarts_at, "full:shut");
	for (uint32_t n = 1; n <= 3; n++) {
		assert_int_equal(gate_stop(session, session_worker_at, NULL), GATE_TURNED);
		while (atomic_load(&n_restarts) < n && !atomic_load(&producer.done))
			sched_yield();
	}
	atomic_store(&restarts_at, NULL);
	while (!atomic_load(&producer.done))
		take(producer.worker, &account, UINT64_MAX);
	producer_join(&producer);
	assert_int_equal(atomic_load(&n_restarts), 3);
	assert_int_equal(producer.n_failed, 0);
}

/* Both ends at full speed, in each mode. */
static void run_many(uint64_t n_slots, bool drop)
{
	struct session *session = session_get();
	struct account account = { 0 };
	struct producer producer;
	uint64_t unlogged;

	session->drop = drop;
	producer_start(&producer, n_slots, MANY);
	for (uint32_t n = 0; !atomic_load(&producer.done) && !account.wrong; n++) {
		const struct timespec pause = { .tv_nsec = 1000000 };

		if (take(producer.worker, &account, UINT64_MAX) == 0)
			sched_yield();
		if (drop && n % 16 == 0) /* a ring fills many times meanwhile */
			nanosleep(&pause, NULL);
	}
	if (account.wrong)
		atomic_store(&session->state, SESSION_CLOSED); /* lets the producer go */
	pthread_join(producer.thread, NULL);
	atomic_store(&session->state, SESSION_ON);
	take(producer.worker, &account, UINT64_MAX);
	unlogged = producer.worker->gap[WIRE_LOSS_RING].n;
	check_account(&account);
	assert_int_equal(account.next_seq + unlogged, MANY);
	assert_int_equal(account.lost + unlogged, producer.n_failed);
	assert_int_equal(producer.worker->lost, producer.n_failed);
	assert_true(drop || producer.n_failed == 0);
	assert_true(!drop || (producer.n_failed > 0 && account.n_tracer == 0));
	worker_unmap(producer.worker);
}

WORKER_TEST(test_flush_many)
{
	run_many(64, false);
	run_many(1024, false);
	run_many(16384, false);
	run_many(65536, false);
}

WORKER_TEST(test_drop_many)
{
	run_many(64, true);
	run_many(1024, true);
	run_many(16384, true);
}

/* ---- threads come and go ---- */

struct visitor {
	struct worker *worker;
	uint64_t root, next;
};

static void *visit(void *arg)
{
	struct visitor *visitor = arg;

	visitor->worker = record_worker();
	assert_ptr_equal(visitor->worker, worker_self());
	assert_int_equal(visitor->worker->task, 0);
	visitor->next = record_create(visitor->worker, 1, 0);
	visitor->root = visitor->worker->task;
	record_resume(visitor->worker, visitor->root);
	return NULL;
}

static void visit_once(struct visitor *visitor)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, visit, visitor), 0);
	pthread_join(thread, NULL);
}

/* The slot of a thread that is gone is the next thread's, who goes on in the same chunk. */
WORKER_TEST(test_slots_are_used_again)
{
	static const uint8_t want[] = { WIRE_ROOT,   WIRE_FOLLOWS, WIRE_CREATE, WIRE_RESUME,
					WIRE_SIGNAL, WIRE_RESUME,  WIRE_END };
	struct session *session = session_get();
	struct visitor visitor[3];
	struct worker *own = record_worker();
	uint32_t n_workers;

	assert_non_null(own);
	visit_once(&visitor[0]);
	n_workers = session->n_workers;
	visit_once(&visitor[1]);
	visit_once(&visitor[2]);
	assert_int_equal(session->n_workers, n_workers);
	for (int i = 0; i < 3; i++) {
		struct worker *worker = visitor[i].worker;

		assert_ptr_equal(worker, visitor[0].worker);
		assert_ptr_not_equal(worker, own);
		assert_ptr_equal(session_worker(worker->index), worker);
		assert_int_equal(visitor[i].root & 0xffff, 2 * i + 1);
		assert_int_equal(visitor[i].next & 0xffff, 2 * i + 2);
		assert_int_equal(visitor[i].next >> WIRE_ID_WORKER_SHIFT, worker->index);
	}
	assert_int_equal(visitor[0].worker->head, 3 * sizeof(want));
	for (uint64_t i = 0; i < 3 * sizeof(want); i++)
		assert_int_equal(event_kind(event_no(visitor[0].worker, i)),
				 want[i % sizeof(want)]);
	assert_int_equal(visitor[0].worker->in_use, 0);
	assert_int_equal(own->in_use, 1);
}

struct crowd {
	pthread_barrier_t *here;
	struct worker *worker;
};

static void *stay(void *arg)
{
	struct crowd *one = arg;

	one->worker = record_worker();
	pthread_barrier_wait(one->here);
	return NULL;
}

/* Threads that are there at once have a worker each. */
WORKER_TEST(test_one_worker_a_thread)
{
	enum { THREADS = 16, ROUNDS = 20 };

	for (int round = 0; round < ROUNDS; round++) {
		struct crowd crowd[THREADS];
		pthread_t thread[THREADS];
		pthread_barrier_t here;

		pthread_barrier_init(&here, NULL, THREADS);
		for (int i = 0; i < THREADS; i++) {
			crowd[i].here = &here;
			assert_int_equal(pthread_create(&thread[i], NULL, stay, &crowd[i]), 0);
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		for (int i = 0; i < THREADS; i++)
			for (int k = 0; k < i; k++)
				assert_ptr_not_equal(crowd[i].worker, crowd[k].worker);
		pthread_barrier_destroy(&here);
	}
	assert_true(session_get()->n_workers <= THREADS + 2);
}

/* ---- the clock ---- */

static bool tsc_keeps_its_rate = true;

#if defined(__x86_64__)
static int cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
	*a = *b = 0;
	*c = leaf == 1 ? 1u << 31 : 0; /* a virtual machine */
	*d = leaf == 0x80000007 && tsc_keeps_its_rate ? 1u << 8 : 0;
	return leaf == 1 || leaf == 0x80000007;
}
#else
#define ask_kernel clock_gettime /* tests of the choice are skipped */
#endif

static void make_file(const char *folder, const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool is_asked = true; /* the kernel, for its time: no host vouches for the counter */

static int read_at_once(clockid_t clock, struct timespec *now)
{
	*now = (struct timespec){ 1, 0 };
	return 0;
}

/* A kernel that keeps time by that clock, and knows those; the source that choose_clock() takes. */
static enum clock_source chosen_of(const char *kernel, const char *listed, enum clock_wish wish)
{
	static const char *const name[] = { "current_clocksource", "available_clocksource" };
	char folder[] = "/tmp/worker_test.XXXXXX";
	const char *real = clocksources;
	enum clock_source source;
	int at;

	assert_non_null(mkdtemp(folder));
	make_file(folder, name[0], kernel);
	make_file(folder, name[1], listed);
	clocksources = folder;
	read_clock = is_asked ? ask_kernel : read_at_once;
	source = choose_clock(wish);
	read_clock = clock_gettime;
	clocksources = real;
	at = open(folder, O_PATH);
	for (int i = 0; i < 2; i++)
		unlinkat(at, name[i], 0);
	close(at);
	rmdir(folder);
	return source;
}

static enum clock_source chosen(const char *kernel, enum clock_wish wish)
{
	return chosen_of(kernel, kernel, wish);
}

/* The stderr of choose_clock(), up to 300 bytes. */
static void chosen_says(const char *kernel, enum clock_wish wish, char said[300])
{
	int pipes[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	chosen(kernel, wish);
	dup2(saved, STDERR_FILENO);
	close(pipes[1]);
	close(saved);
	n = read(pipes[0], said, 299);
	close(pipes[0]);
	said[n < 0 ? 0 : n] = 0;
}

WORKER_TEST(test_choice)
{
	char said[300];

#if !defined(__x86_64__)
	skip();
#endif
	for (int keeps = 0; keeps < 2; keeps++) {
		tsc_keeps_its_rate = keeps;
		assert_int_equal(chosen("tsc\n", CLOCK_WISH_NONE), CLOCK_SOURCE_TSC);
		assert_int_equal(chosen("kvm-clock\n", CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
		assert_int_equal(chosen("tsc\n", CLOCK_WISH_MONOTONIC), CLOCK_SOURCE_MONOTONIC);
		assert_int_equal(chosen("hpet\n", CLOCK_WISH_TSC),
				 keeps ? CLOCK_SOURCE_TSC : CLOCK_SOURCE_MONOTONIC);
		chosen_says("tsc\n", CLOCK_WISH_TSC, said);
		assert_string_equal(said, "");
		chosen_says("hpet\n", CLOCK_WISH_NONE, said);
		assert_string_equal(said, "");
		chosen_says("hpet\n", CLOCK_WISH_TSC, said);
		assert_int_equal(said[0] == 0, keeps);
	}
	tsc_keeps_its_rate = false;
	chosen_says("hpet\n", CLOCK_WISH_TSC, said);
	assert_non_null(strstr(said, "tptrace: TPTRACE_CLOCK=tsc: "));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	tsc_keeps_its_rate = true;
}

/* Whether the CPUs' counters agree is found out without moving the thread that asks. */
WORKER_TEST(test_virtual_machine)
{
	const char *listed = "kvm-clock tsc acpi_pm \n";
	cpu_set_t before, after;

#if !defined(__x86_64__)
	skip();
#endif
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	bool agree = cpus_agree(); /* by this machine's clock */

	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	enum clock_source found = chosen_of("kvm-clock\n", listed, CLOCK_WISH_NONE);

	assert_int_equal(found == CLOCK_SOURCE_TSC, agree);
	assert_int_equal(chosen("kvm-clock\n", CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
	is_asked = false; /* the kernel lists no tsc, and yet is not asked */
	for (int kvm = 0; kvm < 2; kvm++) {
		found = chosen(kvm ? "kvm-clock\n" : "hyperv_clocksource_tsc_page\n",
			       CLOCK_WISH_NONE);
		assert_int_equal(found == CLOCK_SOURCE_TSC, agree);
	}
	is_asked = true;
	print_message("[ the CPUs' counters %s ]\n", agree ? "agree" : "differ");
	tsc_keeps_its_rate = false;
	assert_int_equal(chosen_of("kvm-clock\n", listed, CLOCK_WISH_NONE), CLOCK_SOURCE_MONOTONIC);
	tsc_keeps_its_rate = true;
}

/* The session has the options of the test's environment. */
WORKER_TEST(test_clock_asked_for)
{
	const char *asked = getenv("TPTRACE_CLOCK");

	print_message("[ the session's clock is %s ]\n",
		      clock_source_name(session_get()->clock.source));
	if (asked && strcmp(asked, "monotonic") == 0)
		assert_int_equal(session_get()->clock.source, CLOCK_SOURCE_MONOTONIC);
#if defined(__x86_64__)
	if (asked && strcmp(asked, "tsc") == 0)
		assert_int_equal(session_get()->clock.source, CLOCK_SOURCE_TSC);
#endif
}

/* ---- what a worker thins ---- */

static size_t one_byte(void)
{
	return 1;
}

static uint32_t n_thinned;

/* It is told how many ids were given out before: an event is a CREATE whose operand says so, and
 * one that is left is a HANDLE with that operand.  Every third event is kept, and the last. */
static uint32_t keep_some(struct thinner *thinner, const struct session *session,
			  struct slice *source, struct wire_event *out)
{
	uint64_t n_ids = source->n_ids;
	uint32_t n = 0;

	for (uint32_t i = 0; i < source->n; i++) {
		struct wire_event event = source->slot[i];

		if (event_kind(&event) == WIRE_CREATE) {
			assert_int_equal(event.b, n_ids);
			n_ids = event.b + 1;
			if (i % 3 && i + 1 < source->n)
				continue;
			event.a = WIRE_HANDLE;
		}
		if (event_kind(&event) == WIRE_HANDLE)
			out[n++] = event;
	}
	source->n_ids = n_ids;
	n_thinned++;
	return n < source->n ? n : 0;
}

/* Workers thin, by keep_some(), as the collector has no CPU of its own. */
static void give_thinning(struct collector *thinning)
{
	struct session *session = session_get();

	thinning->thin = keep_some;
	thinning->thinner_bytes = one_byte;
	session_give(thinning);
	session->process.affinity = 0;
	session->process.quota_milli = 0;
}

/* Takes all, or some whole pieces; each event is there once, or was thinned out: the last. */
static uint64_t take_pieces(struct worker *worker, struct random *random, uint64_t last)
{
	uint64_t tail = atomic_load(&worker->tail);
	struct chunk_events events;

	do {
		if (!chunk_find(worker, &worker->sizes, tail, &events))
			break;
		for (uint32_t i = 0; i < events.n; i++) {
			if (event_kind(&events.slot[i]) == WIRE_TRACER)
				continue;
			assert_true(last == UINT64_MAX || events.slot[i].b > last);
			assert_true(events.slot[i].b == last + 1 ||
				    event_kind(&events.slot[i]) == WIRE_HANDLE ||
				    worker->tail != 0);
			last = events.slot[i].b;
		}
		tail = events.number + events.n - events.n_whole;
	} while (!random_one_in(random, 3));
	atomic_store(&worker->tail, tail);
	chunk_release(worker, &worker->sizes, tail,
		      random_one_in(random, 2) ? CHUNK_FREE : CHUNK_TAKEN);
	return last;
}

/* Chunks are thinned or not, as the collector has a CPU or not, or takes from them. */
WORKER_TEST(test_thins_now_and_then)
{
	enum { USED = 1000, EVENTS = 25 * USED };
	struct collector thinning = idle_collector;
	struct session *session = session_get();
	struct random random = { 3 };
	uint32_t affinity = session->process.affinity;

	give_thinning(&thinning);
	for (int round = 0; round < 200; round++) {
		struct worker *worker = map_worker(3, (N_CHUNKS - 1) * USED);
		uint64_t last = UINT64_MAX;

		worker->thins = 1;
		n_thinned = 0;
		for (uint64_t seq = 0; seq < EVENTS; seq++) {
			assert_true(put(worker, seq));
			if (random_one_in(&random, USED))
				last = take_pieces(worker, &random, last);
			if (random_one_in(&random, USED)) /* CPUs for more than the workers */
				session->process.affinity ^= 1000;
			if (chunk_count_full(worker, &worker->sizes, 0) > 2)
				last = take_pieces(worker, &random, last);
		}
		assert_in_range(n_thinned, 1, EVENTS / USED * 3);
		worker_unmap(worker);
	}
	session->process.affinity = affinity;
	session_give(&idle_collector);
}

/* A worker goes on behind what is left, as long as that is no more than half a chunk; and where no
 * chunk is free nothing is thinned. */
WORKER_TEST(test_thins_into_what_is_left)
{
	enum { USED = 3000 };
	struct collector thinning = idle_collector;
	struct session *session = session_get();
	uint32_t affinity = session->process.affinity;
	struct worker *worker = map_worker(3, (N_CHUNKS - 1) * USED);
	uint64_t seq = 0;

	give_thinning(&thinning);
	session->drop = true;
	worker->thins = 1;
	n_thinned = 0;
	while (seq <= USED)
		assert_true(put(worker, seq++));
	assert_int_equal(n_thinned, 1);
	assert_int_equal(worker->n_chunks, 2);
	assert_int_equal(chunk_count_full(worker, &worker->sizes, 0), 0);
	assert_int_equal(chunk_state_of(chunk_word(chunk_at(worker, 1))), CHUNK_FILLING);
	assert_int_equal(chunk_state_of(chunk_word(chunk_at(worker, 0))), CHUNK_FREE);
	while (put(worker, seq))
		seq++;
	assert_int_equal(chunk_count_full(worker, &worker->sizes, 0), N_CHUNKS);
	assert_true(seq > N_CHUNKS * USED * 3 / 2);
	for (uint32_t i = 0, n = n_thinned; i < 100; i++) {
		assert_false(put(worker, ++seq));
		assert_int_equal(n_thinned, n);
	}
	worker_unmap(worker);
	session->process.affinity = affinity;
	session_give(&idle_collector);
}

/* What the collector has pinned is not thinned; it is handed over as it is. */
WORKER_TEST(test_thins_no_pinned)
{
	enum { USED = 1000 };
	struct collector thinning = idle_collector;
	struct session *session = session_get();
	uint32_t affinity = session->process.affinity;
	struct worker *worker = map_worker(3, (N_CHUNKS - 1) * USED);
	struct chunk_events events;
	uint64_t seq = 0;

	give_thinning(&thinning);
	worker->thins = 1;
	n_thinned = 0;
	while (seq < USED / 2)
		assert_true(put(worker, seq++));
	assert_true(chunk_find(worker, &worker->sizes, 0, &events));
	assert_int_equal(events.n, USED / 2);
	while (seq <= USED)
		assert_true(put(worker, seq++));
	assert_int_equal(n_thinned, 0);
	assert_int_equal(chunk_count_full(worker, &worker->sizes, 0), 1);
	assert_true(chunk_find(worker, &worker->sizes, USED / 2, &events));
	assert_int_equal(events.n, USED / 2);
	worker_unmap(worker);
	session->process.affinity = affinity;
	session_give(&idle_collector);
}

/* ---- trials ---- */

#define TRIED 5u /* a runtime's number */

static struct {
	uint64_t n_recorded, n_bare; /* rounds */
	uint64_t spin_ns;	     /* that a recorded round takes longer */
	const struct worker *own;
	bool in_task, blocked; /* in all rounds */
	uint32_t index;
} trial_saw;

static void make_nothing(bool recorded)
{
	struct worker *worker = worker_self();
	uint64_t until_ns = clock_monotonic_ns() + trial_saw.spin_ns;
	sigset_t signals;

	*(recorded ? &trial_saw.n_recorded : &trial_saw.n_bare) += 1;
	pthread_sigmask(SIG_BLOCK, NULL, &signals);
	trial_saw.blocked &= sigismember(&signals, SIGUSR1) && sigismember(&signals, SIGALRM);
	trial_saw.in_task &= worker != trial_saw.own && worker->task != 0 &&
			     worker_state(worker) == WORKER_INSIDE;
	trial_saw.index = worker->index;
	if (!recorded)
		return;
	for (int i = 0; i < 4000; i++) { /* more than its ring has */
		record_wait(worker, 1, WIRE_WAIT_CHILDREN);
		record_resume(worker, worker->task);
	}
	while (clock_monotonic_ns() < until_ns)
		;
}

static uint32_t told_ps(void)
{
	return atomic_load(&session_get()->runtime[TRIED].calls_ps);
}

/* A trial leaves its thread's worker, the session and the thread as they were; the lesser of two
 * figures counts. */
WORKER_TEST(test_trial)
{
	struct session *session = session_get();
	struct worker *own = worker_self() ? worker_self() : worker_attach();
	uint64_t head = atomic_load(&own->head), n_ids = own->n_ids, task = own->task, first_ps,
		 n_recorded;
	uint32_t n_sites = atomic_load(&session->n_sites), index = own->index;
	uint32_t n_workers = atomic_load(&session->n_workers);
	enum worker_state was = worker_state(own);
	sigset_t signals;

	n_tried = 0;
	atomic_store(&session->runtime[TRIED].calls_ps, 0);
	own->index = 17; /* shims know a thread by its worker's number */
	trial_saw = (__typeof__(trial_saw)){ .own = own, .in_task = true, .blocked = true };
	trial_saw.spin_ns = 8000000; /* as where others have the CPU all the time */
	record_trial(TRIED, make_nothing, 4000, 0);
	assert_int_equal(told_ps(), 0);
	trial_saw.spin_ns = 1000000;
	for (int i = 0; i < 500 && !told_ps(); i++) { /* others may have the CPU */
		n_tried = 0;
		record_trial(TRIED, make_nothing, 4000, 0);
	}
	first_ps = told_ps();
	assert_true(first_ps >= 500000 * 1000 / 4000);
	trial_saw.spin_ns = 0;
	for (int i = 0; i < 500 && told_ps() >= first_ps; i++) {
		n_tried = 1;
		trial_again();
	}
	assert_in_range(told_ps(), 1, first_ps - 1);
	n_recorded = trial_saw.n_recorded;
	trial_again(); /* another shim */
	assert_int_equal(trial_saw.n_recorded, n_recorded);
	assert_int_equal(trial_saw.n_recorded, trial_saw.n_bare);
	assert_true(trial_saw.n_recorded >= 3);
	assert_true(trial_saw.in_task && trial_saw.blocked);
	assert_int_equal(trial_saw.index, 17);

	own->index = index;
	assert_ptr_equal(worker_self(), own);
	assert_int_equal(atomic_load(&own->head), head);
	assert_int_equal(own->n_ids, n_ids);
	assert_int_equal(own->task, task);
	assert_int_equal(worker_state(own), was);
	assert_int_equal(atomic_load(&session->n_sites), n_sites);
	assert_int_equal(atomic_load(&session->n_workers), n_workers);
	pthread_sigmask(SIG_BLOCK, NULL, &signals);
	assert_false(sigismember(&signals, SIGUSR1));
}

/* What is told is besides the events, as many as read the clock; the least of all trials. */
WORKER_TEST(test_trial_tells)
{
	struct session *session = session_get();
	const uint32_t event_ps = session->event_ps, strand_ps = session->strand_ps;
	const struct tried plain = { .runtime = TRIED, .n_strands = 100 };
	const struct tried sharing = { .runtime = TRIED, .n_strands = 100, .n_shared = 100 };

	atomic_store(&session->runtime[TRIED].calls_ps, 0);
	session->event_ps = 9000;
	session->strand_ps = 6000;
	note_calls(&plain, TRIAL_MOST_PS + 18001); /* no measurement */
	assert_int_equal(told_ps(), 0);
	note_calls(&plain, TRIAL_MOST_PS + 18000);
	assert_int_equal(told_ps(), TRIAL_MOST_PS);
	note_calls(&sharing, 50000);
	assert_int_equal(told_ps(), 41000);
	note_calls(&plain, 50000);
	assert_int_equal(told_ps(), 32000);
	note_calls(&plain, 60000);
	assert_int_equal(told_ps(), 32000);
	assert_int_equal(session->event_ps, 9000);
	note_calls(&plain, 8000); /* events took more then than all takes now */
	assert_int_equal(session->event_ps, 4001);
	assert_int_equal(session->strand_ps, 2667); /* the same part of it */
	assert_int_equal(told_ps(), 1);
	session->event_ps = event_ps;
	session->strand_ps = strand_ps;
}

/* What takes no time at all is told, too, as tried. */
static void make_really_nothing(bool recorded)
{
}

WORKER_TEST(test_trial_of_nothing)
{
	uint32_t event_ps = session_get()->event_ps, strand_ps = session_get()->strand_ps;

	n_tried = 0;
	atomic_store(&session_get()->runtime[TRIED].calls_ps, 0);
	record_trial(TRIED, make_really_nothing, 1000000, 0);
	assert_int_equal(told_ps(), 1);
	assert_int_equal(session_get()->event_ps,
			 event_ps < 1 ? event_ps : 1); /* no more than all */
	session_get()->event_ps = event_ps;
	session_get()->strand_ps = strand_ps;
}

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
