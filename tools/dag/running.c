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

static bool ends_before(const struct running *running, strand_id a, strand_id b)
{
	return dag_end(running->dag, a) < dag_end(running->dag, b);
}

void running_push(struct running *running, strand_id s)
{
	uint32_t at = running->n++;

	while (at > 0 && ends_before(running, s, running->heap[(at - 1) / 2])) {
		running->heap[at] = running->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	running->heap[at] = s;
}

strand_id running_pop(struct running *running)
{
	strand_id top = running->heap[0], last = running->heap[--running->n];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= running->n)
			break;
		if (child + 1 < running->n &&
		    ends_before(running, running->heap[child + 1], running->heap[child]))
			child++;
		if (!ends_before(running, running->heap[child], last))
			break;
		running->heap[at] = running->heap[child];
		at = child;
	}
	running->heap[at] = last;
	return top;
}
