/* SPDX-License-Identifier: MIT */
/*
 * account.h - takes a worker's events as the collector does, and tells whether they are in order,
 * with the notes of each gap.
 */
#pragma once

#include "test/unit/workers.h"

/* The events that came out of a ring so far, and whether they are valid. */
struct account {
	uint64_t next_seq, lost, n_tracer, tracer_ticks, last_ticks, n_taken;
	uint64_t last_kind, since, why;
	const char *wrong;
};

/* Events have the low 56 bits of their times: with the kernel's clock, 2.3 years.  0: there is
 * none. */
static inline bool is_before(uint64_t ticks, uint64_t then)
{
	return then && (int64_t)((ticks - then) << 8) < 0;
}

static inline void account_for(struct account *account, const struct wire_event *event)
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
static inline uint64_t take(struct worker *worker, struct account *account, uint64_t n_most)
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

static inline void check_account(const struct account *account)
{
	if (account->wrong)
		fail_msg("%s, after %llu events", account->wrong,
			 (unsigned long long)account->n_taken);
}
