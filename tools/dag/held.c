/* SPDX-License-Identifier: MIT */
/* held.c - collects the notes while events are read. */
#include "tools/dag/held.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

void held_open(struct held *held, struct state *state)
{
	*held = (struct held){ .state = state,
			       .ns = xcalloc(state->n_lanes + 1ull, sizeof(*held->ns)) };
}

void held_free(struct held *held)
{
	free(held->ns);
	*held = (struct held){ 0 };
}

void held_note(struct held *held, uint64_t ns)
{
	held->ns[held->state->worker] += ns;
	held->state->lane[held->state->worker].noted = true;
	held->state->dag->held_ns += ns;
}

/* Whether the event may stand between a note and the event that had to wait. */
static bool stands_between(unsigned kind)
{
	return kind == WIRE_TRACER || kind == WIRE_LOST || kind == WIRE_SINCE ||
	       kind == WIRE_UNTIL || kind == WIRE_NEXT_ID || kind == WIRE_COUNTER ||
	       kind == WIRE_PATH || kind == WIRE_NO_WORKER;
}

static void add(struct held *held, uint32_t worker, uint64_t ns, struct hold how)
{
	struct state *state = held->state;
	struct dag *dag = state->dag;

	ARRAY_ADD(dag->hold, dag->n_holds, state->room.holds,
		  (struct hold){ .ns = ns - dag->begin_ns,
				 .length_ns = held->ns[worker],
				 .worker = worker,
				 .strand = state->lane[worker].newest,
				 .after = how.after,
				 .inside = how.inside,
				 .works = how.works });
	held->ns[worker] = 0;
}

/* Whether a collapsed strand ends: what it tells of holds, it tells before. */
static bool tells_of_itself(const struct state *state)
{
	strand_id open = state->lane[state->worker].open;

	return open != STRAND_NONE && dag_collapsed(state->dag, open);
}

void held_before(struct held *held)
{
	struct state *state = held->state;
	const struct lane *lane = &state->lane[state->worker];
	unsigned kind = state->event->kind;

	if (stands_between(kind))
		return;
	if (kind_timed(kind)) {
		held->ties = kind_begins(kind);
		add(held, state->worker, state->ns,
		    (struct hold){ .after = !held->ties, .inside = tells_of_itself(state) });
		return;
	}
	if (lane->has_event) {
		add(held, state->worker, lane->last_ns,
		    (struct hold){ .after = lane->open == STRAND_NONE,
				   .works = lane->open != STRAND_NONE });
		return;
	}
	held->ns[state->worker] = 0;
}

void held_after(struct held *held)
{
	struct state *state = held->state;

	state->dag->hold[state->dag->n_holds - 1].strand = state->lane[state->worker].newest;
	held->ties = false;
}

void held_finish(struct held *held)
{
	const struct state *state = held->state;

	for (uint32_t w = 0; w < state->n_lanes; w++) {
		const struct lane *lane = &state->lane[w];

		if (held->ns[w] && lane->has_event)
			add(held, w, lane->last_ns,
			    (struct hold){ .after = lane->open == STRAND_NONE });
	}
}
