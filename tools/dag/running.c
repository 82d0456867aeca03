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
