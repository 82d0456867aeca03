/* SPDX-License-Identifier: MIT */
/*
 * running.h - the strands that run at an instant, the earliest to end first: a heap.
 *
 * A worker runs one strand at a time, so there are never more than n_slots of them; a strand of no
 * length may be on the heap beside the next one of its worker, which is what the spare place is
 * for.  Used by one thread.
 */
#pragma once

#include "tools/dag/dag.h"

struct running {
	const struct dag *dag;
	struct running_strand {
		uint64_t end_ns;
		strand_id strand;
	} * heap;
	uint32_t n;
};

int running_open(struct running *running, const struct dag *dag); /* 0 or -ENOMEM */
void running_close(struct running *running);			  /* a zeroed one is fine */

void running_push(struct running *running, strand_id s);
strand_id running_pop(struct running *running); /* the earliest; there must be one */

/* Whether one ends at that instant or before. */
static inline bool running_ends(const struct running *running, uint64_t ns)
{
	return running->n && running->heap[0].end_ns <= ns;
}
