/* SPDX-License-Identifier: MIT */
/* worker_test.c - a worker's chunks on one thread: order, losses and their notes, handlers. */
#include "test/unit/account.h"

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
	assert_int_equal(event_no(worker, 5)->b, id_n(worker->last_id));
	assert_int_equal(event_kind(event_no(worker, 6)), WIRE_RESUME);
	gate_stop(session, session_worker_at, NULL);
	record_wait(worker, 1, WIRE_WAIT_CHILDREN);
	began = worker_ticks(worker);
	record_resume(worker, worker->task);
	gate_start(session);
	record_end(worker, 0);
	assert_false(is_before(event_ticks(event_no(worker, 11)), began));
	assert_true(event_no(worker, 11)->a ==
		    event_at(atomic_load(&session->started_ticks), WIRE_RESUME));
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
		assert_int_equal(id_n(worker->last_id), 1);
		assert_in_range(worker->head, at, 2 * SLOTS);
		assert_int_equal(worker->head - at + worker->lost, N);
		for (uint64_t i = 0; at + i < worker->head; i++) {
			const struct wire_event *event = event_no(worker, at + i);

			assert_int_equal(event_kind(event), want[i].a);
			assert_int_equal(event->b, want[i].b);
			if (kind_timed(event_kind(event)))
				assert_false(is_before(event_ticks(event), last_ticks));
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
		assert_true(kind_timed(want[i].a) ? !is_before(ticks, last_ticks) : ticks == 0);
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
		uint64_t last_id = worker->last_id, task = worker->task;

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
		assert_int_equal(worker->last_id, last_id);
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

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
