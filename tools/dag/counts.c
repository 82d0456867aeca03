/* SPDX-License-Identifier: MIT */
/* counts.c - grows the columns with the strands. */
#include "tools/dag/counts.h"

#include <string.h>


/* Makes the column n entries long; new ones are 0. */
static int lengthen(struct state *state, unsigned counter, uint64_t n)
{
	uint64_t **column = &state->dag->count[counter], *n_set = &state->n_counts[counter];

	if (n <= *n_set)
		return 0;
	if (!array_grow(column, &state->room.counts[counter], n, sizeof(**column)))
		return state_no_memory(state);
	memset(*column + *n_set, 0, (n - *n_set) * sizeof(**column));
	*n_set = n;
	return 0;
}

int count_note(struct state *state)
{
	unsigned counter = counter_number(state->event->b);
	strand_id strand = state->lane[state->worker].open;
	uint64_t value = counter_value(state->event->b), *count;
	int error;

	if (counter >= state->dag->n_counters)
		return state_unless_lossy(state, "no such counter is defined");
	if (strand == STRAND_NONE)
		return state_unless_lossy(state, "no task runs then");
	error = lengthen(state, counter, strand + 1ull);
	if (error)
		return error;
	count = &state->dag->count[counter][strand];
	*count = *count + value < WIRE_COUNTER_MOST ? *count + value : WIRE_COUNTER_MOST;
	return 0;
}

int count_finish(struct state *state)
{
	int error = 0;

	for (unsigned i = 0; i < state->dag->n_counters && !error; i++)
		if (state->dag->count[i])
			error = lengthen(state, i, state->dag->n_strands);
	return error;
}
