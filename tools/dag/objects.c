/* SPDX-License-Identifier: MIT */
/* objects.c - notes come in order of time, and are kept in order of strands. */
#include "tools/dag/objects.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

void object_note(struct state *state, strand_id strand, uint64_t object)
{
	struct dag *dag = state->dag;

	ARRAY_ADD(dag->object, dag->n_objects, state->room.objects,
		  (struct dag_object){ object, strand, 0 });
}

/* A strand has one: of several for a wait, the last. */
void object_sort(struct state *state)
{
	struct dag *dag = state->dag;
	uint64_t *of, n = 0;
	struct dag_object *sorted;

	if (!dag->n_objects)
		return;
	of = xcalloc(dag->n_strands, sizeof(*of));
	sorted = xmalloc(dag->n_objects * sizeof(*sorted));
	for (uint64_t i = 0; i < dag->n_objects; i++)
		of[dag->object[i].strand] = i + 1;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (of[s])
			sorted[n++] = dag->object[of[s] - 1];
	free(of);
	free(dag->object);
	dag->object = sorted;
	dag->n_objects = n;
}
