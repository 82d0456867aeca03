/* SPDX-License-Identifier: MIT */
/*
 * operations.c - fields become operations, and data of tasks: what the program says.  No edge and
 * no time of a strand follows from them, and a field that nothing begins is passed over.
 */
#include "tools/dag/effects.h"

#include "collector/trace/field.h"
#include "tools/trace/reader.h"
#include "tools/base/at_most.h"

static void begin_operation(struct state *state, uint64_t moment)
{
	struct dag *dag = state->dag;
	uint64_t ns = above(reader_ns(state->reader, moment), dag->begin_ns);

	ARRAY_ADD(dag->operation, dag->n_operations, state->room.operations,
		  (struct dag_operation){ .begin_ns = ns,
					  .end_ns = ns,
					  .task = state->lane[state->worker].task,
					  .worker = state->worker });
}

void on_operation(struct effects *events)
{
	struct state *state = events->state;
	struct dag *dag = state->dag;
	uint64_t value = field_value(state->event->b);
	unsigned field = field_number(state->event->b);
	struct dag_operation *last =
		dag->n_operations ? &dag->operation[dag->n_operations - 1] : NULL;

	if (field == WIRE_FIELD_MOMENT) {
		begin_operation(state, value);
		return;
	}
	if (!last || last->worker != state->worker)
		return;
	if (field == WIRE_FIELD_SITE)
		last->site = (site_id)value;
	else if (field == WIRE_FIELD_BEGAN)
		last->begin_ns = above(last->begin_ns, value);
	else if (field == WIRE_FIELD_ENDED)
		last->end_ns = above(last->end_ns, value);
	else if (field == WIRE_FIELD_BYTES)
		last->bytes = value;
	last->begin_ns = at_most(last->begin_ns, last->end_ns);
}

static void begin_data(struct state *state, task_id task, uint64_t object)
{
	struct dag *dag = state->dag;

	ARRAY_ADD(dag->data, dag->n_data, state->room.data,
		  (struct dag_data){ .object = object, .task = task });
}

void on_data(struct effects *events)
{
	struct state *state = events->state;
	struct dag *dag = state->dag;
	uint64_t value = field_value(state->event->b);
	unsigned field = field_number(state->event->b);
	task_id task = created_last(state);
	struct dag_data *last = dag->n_data ? &dag->data[dag->n_data - 1] : NULL;

	if (task == TASK_NONE)
		return;
	if (field == WIRE_FIELD_OBJECT) {
		begin_data(state, task, value);
		return;
	}
	if (!last || last->task != task)
		return;
	if (field == WIRE_FIELD_ACCESS)
		last->access = value < DATA_ACCESSES ? (uint8_t)value : 0;
	else if (field == WIRE_FIELD_NODE)
		last->node = (uint32_t)at_most(value + 1, UINT32_MAX);
	else if (field == WIRE_FIELD_BYTES)
		last->bytes = value;
}
