/* SPDX-License-Identifier: MIT */
/*
 * collapse_part.h - collapses a part of a task, where the whole of it cannot be.
 *
 * A part goes from the event that begins a strand of a task to one that ends a later strand of
 * it.  All tasks that the task created in between have ended, too, on this worker, and no wait in
 * between joins a task from before.  So a loop that creates tasks shrinks to one strand, although
 * its task is longer than a limit or began long ago, and so do the small siblings of a large task.
 *
 * A later wait joins what the part created and did not join.  All of it has ended by then, so no
 * ready path goes through it; but the longest path may: WIRE_COLLAPSED_JOIN_SPAN.
 *
 * A task has one part: from the beginning that the pass knows to its last cut.  A cut takes as long
 * as some ten events, so there is one every CUT_EVERY intervals.  Where the task has to be given
 * up, the part is closed, and the task's next strand begins another one.
 */
#pragma once

#include "collector/collapse/collapse_state.h"

#define CUT_EVERY 24u

/* Notes how the task stands.  False if it has become too long: then it was given up. */
bool part_cut_now(struct collapse *c, struct open_task *task, uint64_t now);

/* Hot path: a strand of the innermost task has ended.  False if that was given up. */
static inline bool part_cut(struct collapse *c, struct open_task *task, uint64_t now)
{
	if (c->next_interval <= task->cut_from || task->n_open || task->n_scopes || task->grouped)
		return true;
	return part_cut_now(c, task, now);
}

/* What a part that was collapsed before says of tasks that it did not join. */
void part_join(struct collapse *c, struct open_task *task, unsigned field, uint64_t value);
