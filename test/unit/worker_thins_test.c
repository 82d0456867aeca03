/* SPDX-License-Identifier: MIT */
/* worker_thins_test.c - a worker thins its chunks where the collector has no CPU of its own. */
#include "test/unit/workers.h"

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

static uint32_t affinity; /* that the process had */

/* Workers thin, by keep_some(), as the collector has no CPU of its own. */
static int thinning_on(void **state)
{
	static struct collector thinning;
	struct session *session = session_get();

	thinning = idle_collector;
	thinning.thin = keep_some;
	thinning.thinner_bytes = one_byte;
	session_on(state);
	session_give(&thinning);
	affinity = session->process.affinity;
	session->process.affinity = 0;
	session->process.quota_milli = 0;
	return 0;
}

static int thinning_off(void **state)
{
	session_get()->process.affinity = affinity;
	session_give(&idle_collector);
	return 0;
}

#define THINS_TEST(test) TEST_WITH(test, thinning_on, thinning_off)

/* A worker that thins, with so many events in each chunk. */
static struct worker *map_thinning(uint64_t used)
{
	struct worker *worker = map_worker(3, (N_CHUNKS - 1) * used);

	worker->thins = 1;
	n_thinned = 0;
	return worker;
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
THINS_TEST(test_thins_now_and_then)
{
	enum { USED = 1000, EVENTS = 25 * USED };
	struct session *session = session_get();
	struct random random = { 3 };

	for (int round = 0; round < 200; round++) {
		struct worker *worker = map_thinning(USED);
		uint64_t last = UINT64_MAX;

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
}

/* A worker goes on behind what is left, as long as that is no more than half a chunk; and where no
 * chunk is free nothing is thinned. */
THINS_TEST(test_thins_into_what_is_left)
{
	enum { USED = 3000 };
	struct worker *worker = map_thinning(USED);
	uint64_t seq = 0, oldest_end = UINT32_MAX;

	session_get()->drop = true;
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
	for (uint32_t i = 0; i < N_CHUNKS; i++)
		if (chunk_before(chunk_end(chunk_at(worker, i)), oldest_end))
			oldest_end = chunk_end(chunk_at(worker, i));
	assert_int_equal(chunk_count_full(worker, &worker->sizes, oldest_end), N_CHUNKS - 1);
	assert_true(seq > N_CHUNKS * USED * 3 / 2);
	for (uint32_t i = 0, n = n_thinned; i < 100; i++) {
		assert_false(put(worker, ++seq));
		assert_int_equal(n_thinned, n);
	}
	worker_unmap(worker);
}

/* Where the collector has a CPU of its own, a worker thins once it leaves no more than two free. */
THINS_TEST(test_thins_when_it_is_behind)
{
	struct worker *worker = map_thinning(1000);

	session_get()->process.affinity = 1000;
	for (uint64_t seq = 0; n_thinned == 0; seq++)
		assert_true(put(worker, seq));
	assert_int_equal(chunk_count_full(worker, &worker->sizes, 0), N_CHUNKS - 2);
	worker_unmap(worker);
}

/* What the collector has pinned is not thinned; it is handed over as it is. */
THINS_TEST(test_thins_no_pinned)
{
	enum { USED = 1000 };
	struct worker *worker = map_thinning(USED);
	struct chunk_events events;
	uint64_t seq = 0;

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
}

int main(void)
{
	session_give(&idle_collector);
	return test_all();
}
