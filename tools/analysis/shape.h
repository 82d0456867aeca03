/* SPDX-License-Identifier: MIT */
/*
 * shape.h - what a run's dag is like apart from time: the same program gives the same on every
 * runtime, however it was scheduled.
 *
 * Counted are explicit tasks: what the program handed to a runtime, not roots and not the members
 * of a team.  An edge counts where it makes (create, depend) or ends (join) an explicit task; one
 * between two strands of a task, or a signal, where the first is of an explicit task.  Who arrives
 * at a barrier ends nothing.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

struct shape {
	uint64_t n_edges[EDGE_KINDS];
	uint32_t span_tasks; /* the most explicit tasks on one path */
};

/* Of a part that somebody asked for: by edges to what starts in it. */
void shape_of(const struct dag *dag, const struct select *select, struct shape *shape);
