/* SPDX-License-Identifier: MIT */
/*
 * workers.h - workers of a test that has the recorder built in: the events that they store, and a
 * session that is on.
 *
 * Included by the test before anything else, behind what recorder.h asks for.
 */
#pragma once

#include "test/unit/recorder.h"

#include "test/lib/test.h"
#include "test/lib/collector.h"
#include "test/unit/random.h"

#define N_CHUNKS 5u
#define TASK 77u

/* Records event number `seq`: a CREATE whose site is that number, and an id.  Whether it fit. */
static inline bool put(struct worker *worker, uint64_t seq)
{
	uint64_t head = worker->head;

	worker->task = TASK; /* runs, whatever is lost */
	record_event(worker, WIRE_CREATE, seq);
	record_next_id(worker);
	return worker->head != head;
}

/* The event of that number, which nobody has released. */
static inline const struct wire_event *event_no(struct worker *worker, uint64_t number)
{
	struct chunk_events events;

	assert_true(chunk_find(worker, &worker->sizes, number, &events));
	return events.slot;
}

/* Before each test, whatever the last one did. */
static inline int session_on(void **state)
{
	struct session *session = session_get();

	(void)state;
	session_start();
	atomic_store(&session->state, SESSION_ON);
	session->drop = false;
	return 0;
}

#define WORKER_TEST(test) TEST_WITH(test, session_on, NULL)

/* Chunks of so many events, besides what stays free in each. */
static inline struct chunk_sizes sizes_of(uint32_t n_chunks, uint64_t n_events)
{
	return (struct chunk_sizes){ .n = n_chunks, .slots = (uint32_t)n_events + CHUNK_SPARE };
}

/* A worker of this test, with a quarter of so many events in each of N_CHUNKS. */
static inline struct worker *map_by(uint32_t index, uint64_t n_events, const struct clock *clock)
{
	const struct chunk_sizes sizes = sizes_of(N_CHUNKS, n_events / (N_CHUNKS - 1));

	return worker_map(index, &sizes, sizes.slots, clock);
}

/* With the clock that the session has. */
static inline struct worker *map_worker(uint32_t index, uint64_t n_events)
{
	return map_by(index, n_events, clock_slow(&session_get()->clock));
}
