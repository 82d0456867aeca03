/* SPDX-License-Identifier: MIT */
/* notes.c - keeps what is noted of strands in the order of these. */
#include "tools/dag/notes.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

/* ---- objects: notes come in order of time ---- */

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

/* ---- counts: columns grow with the strands ---- */

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

/* ---- messages ---- */

static void begin_message(struct state *state, strand_id wait, unsigned field, uint64_t rank)
{
	struct dag *dag = state->dag;

	ARRAY_ADD(dag->message, dag->n_messages, state->room.messages,
		  (struct dag_message){ .strand = wait,
					.site = dag_wait_of(dag, wait)->site,
					.field = (uint8_t)field,
					.rank = (uint32_t)rank });
}

void messages_add(struct state *state, strand_id wait, unsigned field, uint64_t value)
{
	struct dag *dag = state->dag;
	struct dag_message *message = dag->n_messages ? &dag->message[dag->n_messages - 1] : NULL;

	if (field < WIRE_MESSAGE_BEGINS) {
		begin_message(state, wait, field, value);
		return;
	}
	if (!message || message->strand != wait)
		return;
	if (field == WIRE_MESSAGE_COMM)
		message->comm = (uint32_t)value;
	else if (field == WIRE_MESSAGE_ORDER)
		message->order = (uint32_t)value;
	else if (field == WIRE_MESSAGE_TAG)
		message->tag = (uint32_t)value + 1;
	else if (field == WIRE_MESSAGE_BYTES)
		message->bytes = value;
	else if (field == WIRE_MESSAGE_RANKS)
		message->n_ranks = (uint32_t)value;
	else if (field == WIRE_MESSAGE_AGAIN)
		message->again = value != 0;
}

/* Each strand's next one of its task, if that goes on from it; STRAND_NONE. */
static strand_id *find_next(const struct dag *dag)
{
	strand_id *next = xmalloc(dag->n_strands * sizeof(*next));

	memset(next, 0xff, dag->n_strands * sizeof(*next));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;

		if (pred != STRAND_NONE && dag->strand[pred].task == dag->strand[s].task)
			next[pred] = s;
	}
	return next;
}

void messages_time(struct state *state)
{
	struct dag *dag = state->dag;
	strand_id *next = dag->n_messages ? find_next(dag) : NULL;

	for (uint64_t i = 0; i < dag->n_messages; i++) {
		struct dag_message *message = &dag->message[i];
		strand_id after = next[message->strand];

		message->begin_ns = dag_end(dag, message->strand);
		message->end_ns = after == STRAND_NONE
					  ? at_least(message->begin_ns, dag->elapsed_ns)
					  : dag_start(dag, after);
	}
	free(next);
}

void messages_cut(struct dag *dag)
{
	for (uint64_t i = 0; i < dag->n_messages; i++) {
		struct dag_message *message = &dag->message[i];
		strand_id s = message->strand;

		while (s != STRAND_NONE && s >= dag->n_strands)
			s = dag->strand[s].pred;
		message->is_cut =
			s != message->strand || (dag->how[s] & STRAND_ENDED_BY) == WIRE_NONE;
		message->strand = s;
	}
}
