/* SPDX-License-Identifier: MIT */
/* running.c - a binary heap of strands, by end. */
#include "tools/dag/running.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

void running_open(struct running *running, const struct dag *dag)
{
	*running = (struct running){ .dag = dag };
	running->heap = xmalloc((dag->n_slots + 1ull) * sizeof(*running->heap));
}

void running_close(struct running *running)
{
	free(running->heap);
	*running = (struct running){ 0 };
}
