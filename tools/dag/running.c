/* SPDX-License-Identifier: MIT */
/* running.c - a binary heap of strands, by end. */
#include "tools/dag/running.h"

#include <errno.h>
#include <stdlib.h>

int running_open(struct running *running, const struct dag *dag)
{
	*running = (struct running){ .dag = dag };
	running->heap = malloc((dag->n_slots + 1ull) * sizeof(*running->heap));
	return running->heap ? 0 : -ENOMEM;
}

void running_close(struct running *running)
{
	free(running->heap);
	*running = (struct running){ 0 };
}

void running_push(struct running *running, strand_id s)
{
	uint64_t end_ns = dag_end(running->dag, s);
	uint32_t at = running->n++;

	while (at > 0 && end_ns < running->heap[(at - 1) / 2].end_ns) {
		running->heap[at] = running->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	running->heap[at] = (struct running_strand){ end_ns, s };
}

strand_id running_pop(struct running *running)
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
