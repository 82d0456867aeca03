/* SPDX-License-Identifier: MIT */
/* held.c - collects the notes while events are read. */
#include "tools/dag/held.h"

#include <errno.h>

/* Whether the event may stand between a note and the event that had to wait. */
static bool stands_between(unsigned kind)
{
	return kind == WIRE_TRACER || kind == WIRE_LOST || kind == WIRE_SINCE ||
	       kind == WIRE_UNTIL || kind == WIRE_NEXT_ID;
}

static int add(struct build *build, uint32_t worker, uint64_t ns, bool after)
{
	struct dag *dag = build->dag;
	struct lane *lane = &build->lane[worker];

	if (!array_grow(&dag->hold, &build->hold_room, dag->n_holds + 1, sizeof(*dag->hold)))
		return build_no_memory(build);
	dag->hold[dag->n_holds++] = (struct hold){ .ns = ns - dag->begin_ns,
						   .length_ns = lane->held_ns,
						   .worker = worker,
						   .strand = lane->newest,
						   .after = after };
	lane->held_ns = 0;
	return 0;
}

int held_before(struct build *build)
{
	struct lane *lane = &build->lane[build->worker];
	unsigned kind = build->event->kind;

	if (stands_between(kind))
		return 0;
	if (kind < WIRE_FIRST_UNTIMED) {
		build->ties_hold = wire_begins_strand(kind);
		return add(build, build->worker, build->ns, !build->ties_hold);
	}
	if (lane->open == STRAND_NONE && lane->has_event)
		return add(build, build->worker, lane->last_ns, true);
	lane->held_ns = 0;
	return 0;
}

void held_after(struct build *build)
{
	struct dag *dag = build->dag;

	dag->hold[dag->n_holds - 1].strand = build->lane[build->worker].newest;
	build->ties_hold = false;
}

int held_finish(struct build *build)
{
	int error = 0;

	for (uint32_t w = 0; w < build->n_lanes && !error; w++) {
		const struct lane *lane = &build->lane[w];

		if (lane->held_ns && lane->open == STRAND_NONE && lane->has_event)
			error = add(build, w, lane->last_ns, true);
	}
	return error;
}
