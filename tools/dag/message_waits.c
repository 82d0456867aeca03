/* SPDX-License-Identifier: MIT */
/* message_waits.c - keeps messages, and gives them their times. */
#include "tools/dag/message_waits.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

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
