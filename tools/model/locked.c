/* SPDX-License-Identifier: MIT */
/* locked.c - follows who enters and leaves each object, in the order of strands. */
#include "tools/model/locked.h"

#include <stdlib.h>

static const struct locked_holder nobody = { .task = TASK_NONE };

static struct locked_object *object_of(struct locked *locked, uint64_t name)
{
	uint64_t *number = map_put(&locked->by_name, name);

	if (!*number) {
		ARRAY_ADD(locked->object, locked->n, locked->room,
			  (struct locked_object){
				  .is_lock = true, .holder = nobody, .former = nobody });
		*number = locked->n;
	}
	return &locked->object[*number - 1];
}

/* The strand goes on from a wait for the object. */
static void enter(struct locked_object *object, const struct dag *dag, strand_id s)
{
	task_id task = dag->strand[s].task;

	if (object->holder.task == task) {
		object->holder.depth++;
		return;
	}
	if (object->former.task != TASK_NONE ||
	    object->left_ns > dag_start(dag, s) + DAG_HANDOVER_NS)
		object->is_lock = false;
	object->former = object->holder;
	object->holder = (struct locked_holder){ task, 1, dag_start(dag, s) };
}

static void leave(struct locked_object *object, const struct dag *dag, strand_id s)
{
	task_id task = dag->strand[s].task;
	uint64_t now_ns = dag_end(dag, s);

	if (object->former.task == task) {
		object->is_lock &= object->former.depth == 1 &&
				   now_ns <= object->holder.since_ns + DAG_HANDOVER_NS;
		object->former = nobody;
	} else if (object->former.task != TASK_NONE && object->holder.task == task &&
		   object->holder.depth == 1 &&
		   now_ns <= object->holder.since_ns + DAG_HANDOVER_NS) {
		object->holder = object->former;
		object->former = nobody;
	} else if (object->former.task != TASK_NONE || object->holder.task != task) {
		object->is_lock = false;
	} else if (--object->holder.depth == 0) {
		object->holder = nobody;
		object->left_ns = now_ns;
	}
}

static void follow(struct locked *locked, const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;
	const struct dag_object *name;
	struct locked_object *object;

	if (pred != STRAND_NONE && !(dag->how[s] & STRAND_FIRST) &&
	    (dag->how[pred] & STRAND_ENDED_BY) == WIRE_WAIT && dag_wait_of(dag, pred)) {
		name = dag_object_of(dag, pred);
		object = name ? object_of(locked, name->name) : NULL;
		if (object && dag_wait_of(dag, pred)->what != WIRE_WAIT_OBJECT)
			object->is_lock = false;
		if (object)
			enter(object, dag, s);
	}
	if ((dag->how[s] & STRAND_ENDED_BY) != WIRE_SIGNAL)
		return;
	name = dag_object_of(dag, s);
	object = name ? object_of(locked, name->name) : NULL;
	if (object)
		leave(object, dag, s);
}

void locked_find(struct locked *locked, const struct dag *dag, const struct changes *changes)
{
	*locked = (struct locked){ 0 };
	if (!dag->n_objects)
		return;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			follow(locked, dag, s);
	for (strand_id s = 0; s < dag->n_strands && changes->unlocked; s++) {
		const struct dag_wait *wait = dag_wait_of(dag, s);
		const struct dag_object *name = wait ? dag_object_of(dag, s) : NULL;

		if (name && changes->unlocked[wait->site])
			object_of(locked, name->name)->gone = true;
	}
}

void locked_free(struct locked *locked)
{
	map_free(&locked->by_name);
	free(locked->object);
	*locked = (struct locked){ 0 };
}

const struct locked_object *locked_at(const struct locked *locked, const struct dag *dag,
				      strand_id s)
{
	unsigned ended_by = dag->how[s] & STRAND_ENDED_BY;
	const struct dag_object *name;
	const uint64_t *number;

	if (!locked->n || (ended_by != WIRE_SIGNAL && ended_by != WIRE_WAIT))
		return NULL;
	name = dag_object_of(dag, s);
	number = name ? map_find(&locked->by_name, name->name) : NULL;
	return number ? &locked->object[*number - 1] : NULL;
}
