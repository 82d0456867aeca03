/* SPDX-License-Identifier: MIT */
/*
 * record_rare.h - the rare half of each event: it finds no slot at once, or its clock is not the
 * counter alone.
 *
 * Functions of their own, so that the hot path needs to keep nothing across a call.  `then` is the
 * thread's state afterwards.
 */
#pragma once

#include "preload/worker.h"

#define RECORD_ELSE static __attribute__((noinline, cold, unused)) void

RECORD_ELSE record_put_else(struct worker *worker, enum wire_kind kind, uint64_t a, uint64_t b,
			    enum worker_state then)
{
	struct wire_event *event = worker_claim(worker, kind, b, &a);

	if (event) {
		event->a = a;
		event->b = b;
		worker_commit(worker);
	}
	worker_turn(worker, then);
}

RECORD_ELSE record_now_else(struct worker *worker, enum wire_kind kind, uint64_t b,
			    enum worker_state then)
{
	record_put_else(worker, kind, event_at(worker_ticks(worker), kind), b, then);
}

RECORD_ELSE record_strand_else(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	struct wire_event *event = worker_claim(worker, kind, b, NULL);

	if (event) {
		event->b = b;
		event->a = event_at(worker_ticks(worker), kind);
		worker_commit(worker);
	}
	worker_turn(worker, WORKER_INSIDE);
}
