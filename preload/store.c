/* SPDX-License-Identifier: MIT */
/* store.c - stores an event where the hot path found no slot for it (worker.h: enter, fill, leave).
 */
#include "preload/record.h"
#include "preload/worker_life.h"

/* The thread's state, when it may store; else less than WORKER_OUTSIDE. */
static enum worker_state begin_storing(struct worker *worker)
{
	enum worker_state was = worker_state(worker);

	if (was >= WORKER_OUTSIDE)
		worker_turn(worker, WORKER_STORING);
	atomic_signal_fence(memory_order_acq_rel);
	return was;
}

/* After begin_storing().  The state is what the event makes of it. */
static void store_event(struct worker *worker, struct wire_event event, enum worker_state was)
{
	enum wire_kind kind = (enum wire_kind)event_kind(&event);
	bool is_read = !kind_timed(kind) || event_ticks(&event);
	bool begins = !is_read && kind_begins(kind);

	if (!is_read && !begins)
		event.a = event_at(worker_ticks(worker), kind);
	if (atomic_load_explicit(&worker->head, memory_order_relaxed) < worker_limit(worker) ||
	    worker_make_room(worker, kind, event.b)) {
		/* making room may have taken time that is the strand's (slow.h) */
		if (kind_timed(kind) && !begins && event_ticks(&event) < worker->not_before)
			event.a = event_at(worker->not_before, kind);
		if (begins)
			event.a = event_at(worker_ticks(worker), kind);
		worker_put(worker, event.a, event.b);
	}
	worker_turn(worker,
		    kind_begins(kind) && is_read ? WORKER_OUTSIDE : record_state(kind, was));
}

static void store_slowly(struct worker *worker, struct wire_event event)
{
	enum wire_kind kind = (enum wire_kind)event_kind(&event);
	uint64_t below = event.b;
	enum worker_state was = begin_storing(worker);

	if (kind == WIRE_END)
		event.b = 0;
	if (was >= WORKER_OUTSIDE) {
		if (kind == WIRE_MEMBER || kind == WIRE_START)
			worker->task = record_next_id(worker);
		store_event(worker, event, was);
	}
	if (kind == WIRE_END)
		worker->task = below;
}

void record_slow(struct worker *worker, struct wire_event event, struct wire_event then)
{
	store_slowly(worker, event);
	if (then.a)
		store_slowly(worker, then);
}

bool worker_make_root(struct worker *worker, uint64_t ticks)
{
	enum worker_state was = begin_storing(worker);
	bool makes = was >= WORKER_OUTSIDE && !worker->task; /* else a handler was faster */

	if (makes) {
		worker->task = worker->root = record_next_id(worker);
		store_event(worker, (struct wire_event){ event_at(ticks, WIRE_ROOT), 0 }, was);
	} else if (was >= WORKER_OUTSIDE) {
		worker_turn(worker, was);
	}
	return makes;
}
