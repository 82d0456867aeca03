/* SPDX-License-Identifier: MIT */
/* worker_threads_test.c - a worker waits for its collector; slots are used again. */
#define TEST_POINTS
#include "test/unit/account.h"

#define MANY 1000000u

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
	atomic_store(&n_restarts, 0);
	atomic_store(&restarts_at, "full:shut");
	for (uint32_t n = 1; n <= 3; n++) {
		assert_true(sleeps(&producer));
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

static bool waits_are_known;

static bool tell_waits(uint32_t thread, uint64_t *wait_ns)
{
	(void)thread;
	*wait_ns = waits_are_known ? 1000000 : 0;
	return waits_are_known;
}

static void *wait_unseen(void *arg)
{
	*(struct worker **)arg = record_worker();
	waits_are_known = true;
	cputime_note_all(session_get());
	return NULL;
}

/* What a thread had waited when it came is unknown: so is what it waited since, though it can be
 * read by then. */
WORKER_TEST(test_waits_that_are_known_late)
{
	struct collector collector = idle_collector;
	struct worker *worker = NULL;
	pthread_t thread;

	collector.waits = tell_waits;
	session_give(&collector);
	assert_int_equal(pthread_create(&thread, NULL, wait_unseen, &worker), 0);
	pthread_join(thread, NULL);
	session_give(&idle_collector);
	assert_non_null(worker);
	assert_true(worker->cpu.last_ticks != 0);
	assert_int_equal(worker->cpu.last.wait_ns, 0);
	assert_int_equal(worker->cpu.noted.wait_ns, 0);
	assert_int_equal(worker->cpu.has_wait, 0);
}

static _Atomic uint32_t n_asked;

static bool count_waits(uint32_t thread, uint64_t *wait_ns)
{
	(void)thread;
	*wait_ns = 1000000;
	atomic_fetch_add(&n_asked, 1);
	return true;
}

/* Reading waits costs more than a short thread does: a team's threads all read them, those that
 * follow in a short time do not, and some do again later.  Each reads when it leaves, too, and the
 * collector is woken for it. */
WORKER_TEST(test_few_of_many_threads_read_waits)
{
	enum { MANY_THREADS = 3 * WAITS_AT_ONCE };
	struct session *session = session_get();
	struct collector collector = idle_collector;
	struct visitor visitor;
	uint32_t woken;

	collector.waits = count_waits;
	session_give(&collector);
	session->begin.ns = UINT64_MAX / 2; /* no time has passed */
	atomic_store(&session->n_waits_read, 0);
	atomic_store(&n_asked, 0);
	for (int i = 0; i < MANY_THREADS; i++)
		visit_once(&visitor);
	assert_int_equal(n_asked, 2 * WAITS_AT_ONCE);
	assert_int_equal(visitor.worker->cpu.has_wait, 0);
	assert_int_equal(visitor.worker->cpu.noted.wait_ns, 0);
	woken = atomic_load(&session->wake);
	visit_once(&visitor);
	assert_int_equal(atomic_load(&session->wake), woken); /* nor is the collector */
	session->begin.ns = clock_monotonic_ns() - 3ull * WAITS_PART * WAITS_NS;
	visit_once(&visitor);
	assert_int_equal(n_asked, 2 * WAITS_AT_ONCE + 2);
	assert_int_equal(visitor.worker->cpu.has_wait, 1);
	session_give(&idle_collector);
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

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
