/* SPDX-License-Identifier: MIT */
/* counts.c - grows the columns with the strands. */
#include "tools/dag/counts.h"

#include <string.h>

/* Makes the column n entries long; new ones are 0. */
static void lengthen(struct state *state, unsigned counter, uint64_t n)
{
	uint64_t **column = &state->dag->count[counter], *n_set = &state->n_counts[counter];

	if (n <= *n_set)
		return;
	array_grow(column, &state->room.counts[counter], n, sizeof(**column));
	memset(*column + *n_set, 0, (n - *n_set) * sizeof(**column));
	*n_set = n;
}

int count_note(struct state *state)
{
	unsigned counter = field_number(state->event->b);
	strand_id strand = state->lane[state->worker].open;
	uint64_t value = field_value(state->event->b), *count;

	if (counter >= state->dag->n_counters)
		return state_unless_lossy(state, "no such counter is defined");
	if (strand == STRAND_NONE)
		return state_unless_lossy(state, "no task runs then");
	lengthen(state, counter, strand + 1ull);
	count = &state->dag->count[counter][strand];
	*count = *count + value < WIRE_FIELD_MOST ? *count + value : WIRE_FIELD_MOST;
	return 0;
}

void count_finish(struct state *state)
{
	for (unsigned i = 0; i < state->dag->n_counters; i++)
		if (state->dag->count[i])
			lengthen(state, i, state->dag->n_strands);
}
