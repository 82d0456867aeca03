/* SPDX-License-Identifier: MIT */
/* objects.c - notes come in order of time, and are kept in order of strands. */
#include "tools/dag/objects.h"

#include <stdlib.h>

int object_note(struct state *state, strand_id strand, uint64_t object)
{
	struct dag *dag = state->dag;

	if (!array_grow(&dag->object, &state->room.objects, dag->n_objects + 1ull,
			sizeof(*dag->object)))
		return state_no_memory(state);
	dag->object[dag->n_objects++] = (struct dag_object){ object, strand, 0 };
	return 0;
}

/* A strand has one: of several for a wait, the last. */
int object_sort(struct state *state)
{
	struct dag *dag = state->dag;
	uint64_t *of, n = 0;
	struct dag_object *sorted;

	if (!dag->n_objects)
		return 0;
	of = calloc(dag->n_strands, sizeof(*of));
	sorted = malloc(dag->n_objects * sizeof(*sorted));
	for (uint64_t i = 0; of && sorted && i < dag->n_objects; i++)
		of[dag->object[i].strand] = i + 1;
	for (strand_id s = 0; of && sorted && s < dag->n_strands; s++)
		if (of[s])
			sorted[n++] = dag->object[of[s] - 1];
	if (!of || !sorted) {
		free(of);
		free(sorted);
		return state_no_memory(state);
	}
	free(of);
	free(dag->object);
	dag->object = sorted;
	dag->n_objects = n;
	return 0;
}
