/* SPDX-License-Identifier: MIT */
/*
 * effects.h - what each event of a trace does to the dag in the making.
 *
 * The event at hand is that of the state.  There is a handler for each kind: handlers.h.
 */
#pragma once

#include "tools/dag/gap.h"
#include "tools/dag/held.h"
#include "tools/dag/kind.h"

struct effects {
	struct state *state;
	struct kinds *kinds;
	struct depend *depend;
	struct join *join;
	struct gaps *gaps;
	struct held *held;
	struct tallies *tallies;
	task_id empty;	   /* what the event before created, to be completed; TASK_NONE */
	bool signals_by;   /* the event before is a SIGNAL_BY, .. */
	task_id signaller; /* .. of this task; TASK_NONE: of none that has ended */
};

int effects_apply(struct effects *events);

/*
 * merge.h: among events of one time, what others may be waiting for comes first.  The context is
 * a struct effects.
 */
unsigned effects_rank(const void *context, uint32_t worker, const struct event *event);
