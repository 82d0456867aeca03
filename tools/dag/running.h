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

void running_open(struct running *running, const struct dag *dag);
void running_close(struct running *running);			  /* a zeroed one is fine */

/* The three that follow run for each strand of each sweep. */

static inline void running_push(struct running *running, strand_id s)
{
	uint64_t end_ns = dag_end(running->dag, s);
	uint32_t at = running->n++;

	while (at > 0 && end_ns < running->heap[(at - 1) / 2].end_ns) {
		running->heap[at] = running->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	running->heap[at] = (struct running_strand){ end_ns, s };
}

/* The earliest; there must be one. */
static inline strand_id running_pop(struct running *running)
{
	strand_id top = running->heap[0].strand;
	struct running_strand last = running->heap[--running->n];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= running->n)
			break;
		if (child + 1 < running->n &&
		    running->heap[child + 1].end_ns < running->heap[child].end_ns)
			child++;
		if (running->heap[child].end_ns >= last.end_ns)
			break;
		running->heap[at] = running->heap[child];
		at = child;
	}
	running->heap[at] = last;
	return top;
}

/* Whether one ends at that instant or before. */
static inline bool running_ends(const struct running *running, uint64_t ns)
{
	return running->n && running->heap[0].end_ns <= ns;
}
