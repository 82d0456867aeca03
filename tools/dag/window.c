/* SPDX-License-Identifier: MIT */
/* window.c - finds the end of the window, and cuts off what lies behind it. */
#include "tools/dag/window.h"


/* Whether the strand ended with a suspension of which no task knows. */
static bool ends_idle(const struct dag *dag, strand_id s)
{
	unsigned ended_by = dag->how[s] & STRAND_ENDED_BY;
	const struct dag_wait *wait = dag_wait_of(dag, s);

	return ended_by == WIRE_YIELD || (ended_by == WIRE_WAIT && wait && wait_blocks(wait->what));
}

/* Whether a root goes on after such a suspension, up to another one or to the end of the trace. */
static bool is_idle(const struct dag *dag, strand_id s)
{
	strand_id before = dag->strand[s].pred;
	bool ends = (dag->how[s] & STRAND_ENDED_BY) != WIRE_NONE && !ends_idle(dag, s);

	return !ends && !dag_is_node(dag, s) && dag_kind(dag, s) == KIND_OF_ROOTS &&
	       before != STRAND_NONE && !(dag->how[s] & (STRAND_EXTRA | STRAND_FIRST)) &&
	       dag->strand[before].task == dag->strand[s].task && ends_idle(dag, before);
}

/* Whether what follows the strand is dropped. */
static bool is_last(const struct state *state, strand_id s)
{
	const struct dag *dag = state->dag;

	return !dag_is_node(dag, s) && dag_kind(dag, s) == KIND_OF_ROOTS && ends_idle(dag, s) &&
	       state->task_last[dag->strand[s].task] == s;
}

/* A root's last strand ends with the window, unless the root waits by then. */
static int cut_strand(struct state *state, strand_id s)
{
	struct dag *dag = state->dag;

	if (dag_end(dag, s) < dag->elapsed_ns)
		return 0;
	dag->how[s] &= (uint8_t)~STRAND_ENDED_BY;
	if (dag_set_wait(dag, s, 0) < 0)
		return state_no_memory(state);
	return state_set_end(state, s, dag->elapsed_ns);
}

static void cut_objects(struct dag *dag)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_objects; i++)
		if (dag->object[i].strand < dag->n_strands &&
		    (dag->how[dag->object[i].strand] & STRAND_ENDED_BY) != WIRE_NONE)
			dag->object[n++] = dag->object[i];
	dag->n_objects = n;
}

/* What held a worker up to a strand or a suspension that is dropped is, too. */
static void cut_holds(struct dag *dag)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < dag->n_holds; i++) {
		const struct hold *hold = &dag->hold[i];
		strand_id s = hold->strand;

		if (s != STRAND_NONE &&
		    (s >= dag->n_strands || (hold->after && hold->ns >= dag->elapsed_ns &&
					     (dag->how[s] & STRAND_ENDED_BY) == WIRE_NONE)))
			dag->held_ns -= hold->length_ns;
		else
			dag->hold[n++] = *hold;
	}
	dag->n_holds = n;
}

int window_cut(struct state *state)
{
	struct dag *dag = state->dag;
	strand_id end = dag->n_strands;
	uint64_t end_ns = 0;
	bool has_tasks = false;
	int error = 0;

	while (end && is_idle(dag, end - 1)) {
		end--;
		state->task_last[dag->strand[end].task] = dag->strand[end].pred;
	}
	if (end == dag->n_strands)
		return 0;
	for (strand_id s = 0; s < end; s++) {
		uint64_t ns = is_last(state, s) ? dag_start(dag, s) : dag_end(dag, s);

		has_tasks |= !dag_is_node(dag, s) && dag_kind(dag, s) != KIND_OF_ROOTS;
		if (ns > end_ns)
			end_ns = ns;
	}
	for (; end < dag->n_strands && (!has_tasks || dag_start(dag, end) <= end_ns); end++)
		state->task_last[dag->strand[end].task] = end;
	if (end == dag->n_strands)
		return 0;
	dag->n_strands = end;
	dag->elapsed_ns = end_ns;
	for (strand_id s = 0; s < end && !error; s++)
		if (is_last(state, s))
			error = cut_strand(state, s);
	cut_objects(dag);
	cut_holds(dag);
	return error;
}
