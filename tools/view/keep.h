/* SPDX-License-Identifier: MIT */
/*
 * keep.h - which strands the page has in full, where a trace has more than a browser can hold.
 *
 * First the ready path, and those around the widest pauses; then those in the findings' stretches,
 * those that were stolen or went elsewhere, tasks from the roots down with half of the room, and
 * the rest: of each the longest.  And all in a stretch of time, where a server answers for one.
 * With each come its task's other strands, if they are few, and else the first of them, and the one
 * that created the task, up to a root: what is left out are whole subtrees, whose sums go to the
 * strand that they hang below (left.h).
 * It is in the levels (bins.h) all the same.  Strands and tasks keep their order.
 */
#pragma once

#include "tools/analysis/findings/findings.h"
#include "tools/analysis/ready_path.h"
#include "tools/dag/dag.h"
#include "tools/view/lives.h"

#define KEEP_LEFT 0x80000000u

struct keep {
	uint32_t n; /* strands that are kept */
	/* by strand: its number on the page; of one left out, KEEP_LEFT and the number of the last
	 * strand before it in its task, or in one above, that is kept; all bits: there is none.
	 * NULL: all are kept */
	uint32_t *number;
	uint32_t n_tasks; /* those of the strands, and their ancestors */
	uint32_t *task;	  /* by task, on the page; TASK_NONE if left out.  NULL: all are kept */
};

struct keep_wanted {
	const struct dag *dag;
	const struct ready_path *path;
	const struct findings *findings;
	const struct lives *lives; /* may be zeroed if `most` are all */
	uint32_t n_rows;
	uint64_t most; /* strands */
};

void keep_choose(struct keep *keep, const struct keep_wanted *wanted);
/*
 * Those of `base`, and all that ran in [from_ns, to_ns): with the strand before and the one after
 * on each row, those that released or joined them, and those above.
 */
void keep_window(struct keep *keep, const struct keep *base, const struct dag *dag,
		 const struct lives *lives, uint32_t n_rows, uint64_t from_ns, uint64_t to_ns);
void keep_free(struct keep *keep); /* a zeroed one is fine */

static inline strand_id keep_number(const struct keep *keep, strand_id s)
{
	if (!keep->number || s == STRAND_NONE)
		return s;
	return keep->number[s] & KEEP_LEFT ? STRAND_NONE : keep->number[s];
}

/* Of one left out: the strand on the page whose sums it is in; `n` if none. */
static inline uint32_t keep_owner(const struct keep *keep, strand_id s)
{
	return keep->number[s] == STRAND_NONE ? keep->n : keep->number[s] & ~KEEP_LEFT;
}

static inline task_id keep_task(const struct keep *keep, task_id task)
{
	return keep->task && task != TASK_NONE ? keep->task[task] : task;
}
