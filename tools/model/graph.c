/* SPDX-License-Identifier: MIT */
/* graph.c - makes the graph of a dag: one loop for the steps, two for the edges between tasks. */
#include "tools/model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/analysis/released.h"
#include "tools/base/large.h"
#include "tools/base/xalloc.h"
#include "tools/model/leads.h"

/* ---- which objects are locks ---- */

/*
 * Locks are the runtime's own, which one task at a time has entered, and only who entered leaves.
 * A simulation may let their waiters in in another order.  Who enters and leaves each object is
 * followed in the order of strands.
 */
struct locked {
	struct map by_name; /* object -> number + 1 in object[] */
	struct locked_object {
		bool is_lock;
		bool gone; /* by a change: nobody waits for it */
		struct locked_holder {
			task_id task; /* TASK_NONE: nobody */
			uint32_t depth;
			uint64_t since_ns;
		} holder, former; /* who held it then, and may yet hand it over (DAG_HANDOVER_NS) */
		uint64_t left_ns;
	} * object;
	uint64_t n, room;
};

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

static void locked_find(struct locked *locked, const struct dag *dag, const struct changes *changes)
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

static void locked_free(struct locked *locked)
{
	map_free(&locked->by_name);
	free(locked->object);
	*locked = (struct locked){ 0 };
}

/* What the strand's end waits for, or leaves; NULL if it is none. */
static const struct locked_object *locked_at(const struct locked *locked, const struct dag *dag,
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

/* ---- the graph in the making ---- */

struct making {
	struct graph *graph;
	const struct dag *dag;
	const struct changes *changes;
	struct locked locked;
};

/* ---- steps ---- */

static enum step_end end_of(const struct making *making, strand_id s)
{
	const struct locked_object *object = locked_at(&making->locked, making->dag, s);

	switch (making->dag->how[s] & STRAND_ENDED_BY) {
	case WIRE_CREATE:
		return STEP_CREATES;
	case WIRE_FORK:
		return STEP_FORKS;
	case WIRE_WAIT:
		if (object && object->gone)
			return STEP_GOES_ON;
		return object && object->is_lock ? STEP_LOCKS : STEP_WAITS;
	case WIRE_SIGNAL:
		return object && object->is_lock && !object->gone ? STEP_UNLOCKS : STEP_GOES_ON;
	case WIRE_YIELD:
		return STEP_GOES_ON;
	default:
		return STEP_ENDS;
	}
}

/* The collapsed task, or the split one, has that many parts. */
void graph_part(struct graph *graph, strand_id s, uint64_t n, uint64_t inside_ns)
{
	uint64_t *number = map_put(&graph->parts_of, s);

	*number = graph->n_parts;
	ARRAY_ADD(graph->parts, graph->n_parts, graph->part_room,
		  (struct parts){ n < PARTS_MOST ? (uint32_t)n : PARTS_MOST, inside_ns });
	graph->step[s].flags |= STEP_PARTS;
}

/* So many equal parts of its work that their span is the task's. */
static void part_collapsed(struct making *making, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(making->dag, s);
	uint64_t length = dag_length(making->dag, s), n = 1;

	if (!making->changes->whole && collapsed->span_ns)
		n = at_most(collapsed->n_tasks + 1, collapsed->work_ns / collapsed->span_ns);
	making->graph->n_whole += !collapsed->span_ns;
	graph_part(making->graph, s, n ? n : 1, length - collapsed->work_ns);
}

static void make_step(struct making *making, struct lead_walk *walk, strand_id s)
{
	const struct dag *dag = making->dag;
	struct graph *graph = making->graph;
	struct step *step = &graph->step[s];
	const struct dag_wait *wait = dag_wait_of(dag, s);
	uint64_t lead;

	*step = (struct step){ .next = STRAND_NONE, .child = STRAND_NONE, .task = TASK_NONE };
	if (dag_is_node(dag, s)) {
		step->flags = STEP_NODE;
		return;
	}
	step->task = dag->strand[s].task;
	step->length = dag_work(dag, s);
	step->end = end_of(making, s);
	step->wait = wait ? wait->what : 0;
	graph->has_groups |= step->wait == WIRE_WAIT_GROUP;
	step->lead_of = lead_walk_next(walk, s, &lead);
	step->lead = (uint32_t)at_most(UINT32_MAX, lead);
	if (step->lead_of == LEAD_OUTSIDE &&
	    (dag->strand[s].pred == STRAND_NONE || released_outside(dag, s)))
		step->flags |= STEP_OUTSIDE;
	if (dag->how[s] & STRAND_FIRST)
		step->flags |= STEP_FIRST;
	if (dag->kind_what[dag_kind(dag, s)] == KIND_IMPLICIT)
		step->flags |= STEP_MEMBER;
	if (dag->how[s] & STRAND_COLLAPSED)
		part_collapsed(making, s);
}

static void make_steps(struct making *making)
{
	struct lead_walk walk;

	lead_walk_open(&walk, making->dag);

	for (strand_id s = 0; s < making->graph->n_steps; s++)
		make_step(making, &walk, s);
	lead_walk_close(&walk);
}

/* ---- edges ---- */

/* Whether the edge only says who entered a lock before. */
static bool is_order_of_lock(const struct making *making, strand_id from, strand_id to)
{
	const struct dag *dag = making->dag;
	strand_id pred = dag->strand[to].pred;
	const struct locked_object *object;

	if (!making->locked.n || pred == STRAND_NONE || dag_is_node(dag, from) ||
	    (dag->how[from] & STRAND_ENDED_BY) != WIRE_SIGNAL ||
	    (dag->how[pred] & STRAND_ENDED_BY) != WIRE_WAIT)
		return false;
	object = locked_at(&making->locked, dag, pred);
	return object && (object->is_lock || object->gone) &&
	       object == locked_at(&making->locked, dag, from);
}

/* While they are counted, `out` is how many a step has. */
static void add_out(struct graph *graph, strand_id from, strand_id to, bool fill)
{
	struct step *step = &graph->step[from];

	if (!fill)
		step->out++;
	else if (step->flags & STEP_OUT_ONE)
		step->out = to;
	else
		graph->out[step->out + ++graph->out[step->out]] = to;
}

/* What s waits for besides its task's step before, or its creation, is in `out` of those. */
static void each_edge(struct making *making, bool fill)
{
	const struct dag *dag = making->dag;
	struct graph *graph = making->graph;
	uint32_t e = 0;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		strand_id pred = dag->strand[s].pred;
		bool of_list = pred != STRAND_NONE && graph->step[pred].next != s &&
			       graph->step[pred].child != s;

		if (of_list)
			add_out(graph, pred, s, fill);
		for (; e < dag->n_extras && dag->extra[e].to == s; e++) {
			strand_id from = dag->extra[e].from;

			if (is_order_of_lock(making, from, s))
				continue;
			graph->n_into[s] += !fill;
			add_out(graph, from, s, fill);
		}
	}
}

/* Who goes on with whom, and who creates whom. */
static void link_tasks(struct making *making)
{
	const struct dag *dag = making->dag;
	struct graph *graph = making->graph;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		strand_id pred = dag->strand[s].pred;
		struct step *step = &graph->step[s], *before;

		if (pred == STRAND_NONE || step->flags & STEP_NODE)
			continue;
		before = &graph->step[pred];
		graph->n_into[s] = 1;
		if (!(step->flags & STEP_FIRST)) {
			before->next = s;
			step->flags |= before->end == STEP_CREATES ? STEP_CONTINUES : 0;
			if (before->end == STEP_WAITS || before->end == STEP_FORKS)
				step->flags |= STEP_JOINS;
			continue;
		}
		graph->parent[step->task] = before->task;
		if (before->end == STEP_CREATES && before->child == STRAND_NONE)
			before->child = s;
	}
}

/* A creation whose child has to end before the task goes on: the program asked for it. */
static void mark_undeferred(struct making *making)
{
	const struct dag *dag = making->dag;
	struct graph *graph = making->graph;

	for (uint32_t e = 0; e < dag->n_extras; e++) {
		strand_id pred = dag->strand[dag->extra[e].to].pred;
		task_id task = dag->strand[dag->extra[e].from].task;
		struct step *before;

		if (pred == STRAND_NONE || task == TASK_NONE)
			continue;
		before = &graph->step[pred];
		if (before->end == STEP_CREATES && before->child != STRAND_NONE &&
		    before->next == dag->extra[e].to && graph->step[before->child].task == task)
			before->flags |= STEP_UNDEFERRED;
	}
}

static void make_edges(struct making *making)
{
	struct graph *graph = making->graph;
	uint64_t n = 0;

	link_tasks(making);
	mark_undeferred(making);
	each_edge(making, false);
	for (strand_id s = 0; s < graph->n_steps; s++) {
		struct step *step = &graph->step[s];
		uint32_t n_out = step->out;

		step->flags |= graph->n_into[s] == 1 ? STEP_ALONE : 0;
		if (step->task != TASK_NONE && graph->parent[step->task] == TASK_NONE)
			step->flags |= STEP_OF_ROOT;
		step->flags |= n_out == 1 ? STEP_OUT_ONE : n_out ? STEP_OUT_MANY : 0;
		step->out = (uint32_t)n;
		n += n_out > 1 ? n_out + 1 : 0;
		if (n >= UINT32_MAX)
			too_many("edges");
	}
	graph->n_out = (uint32_t)n;
	graph->out = xcalloc(n + 1, sizeof(*graph->out));
	each_edge(making, true);
}

/* ---- locks, arrivals ---- */

static void mark_held(struct graph *graph)
{
	uint32_t *holds = xcalloc(graph->dag->n_tasks + 1ull, sizeof(*holds));

	graph->held = xcalloc(graph->n_steps + 1ull, sizeof(*graph->held));
	for (strand_id s = 0; s < graph->n_steps; s++) {
		const struct step *step = &graph->step[s];

		if (step->flags & STEP_NODE)
			continue;
		graph->held[s] = holds[step->task] > 0;
		if (step->end == STEP_LOCKS)
			holds[step->task]++;
		else if (step->end == STEP_UNLOCKS && holds[step->task])
			holds[step->task]--;
	}
	free(holds);
}

static void make_locks(struct making *making)
{
	struct graph *graph = making->graph;

	if (!making->locked.n)
		return;
	graph->lock_room = (uint32_t)making->locked.n;
	for (uint64_t i = 0; i < making->locked.n; i++)
		graph->n_locks +=
			making->locked.object[i].is_lock && !making->locked.object[i].gone;
	graph->lock = xcalloc(graph->n_steps + 1ull, sizeof(*graph->lock));
	for (strand_id s = 0; s < graph->n_steps; s++)
		if (graph->step[s].end == STEP_LOCKS || graph->step[s].end == STEP_UNLOCKS)
			graph->lock[s] = (uint32_t)(locked_at(&making->locked, making->dag, s) -
						    making->locked.object);
	if (graph->n_locks)
		mark_held(graph);
}

ORDER(by_time, struct arrival, BY_LEAST(ns) ?: BY_LEAST(step))

static void make_arrivals(struct making *making)
{
	struct graph *graph = making->graph;
	uint64_t room = 0;

	for (strand_id s = 0; s < graph->n_steps; s++) {
		struct arrival arrival = { 0, s };

		if (graph->n_into[s])
			continue;
		arrival.ns = cost_changed(&making->changes->cost[COST_OUTSIDE],
					  dag_start(making->dag, s));
		graph->step[s].lead = 0;
		ARRAY_ADD(graph->arrival, graph->n_arrivals, room, arrival);
	}
	SORT(graph->arrival, graph->n_arrivals, by_time);
}

/* ---- all of it ---- */

void graph_build(struct graph *graph, const struct dag *dag, const struct changes *changes)
{
	struct making making = { .graph = graph, .dag = dag, .changes = changes };

	*graph = (struct graph){ .dag = dag, .n_steps = dag->n_strands };
	graph->step = large_alloc(graph->n_steps, sizeof(*graph->step));
	graph->n_into = xcalloc(graph->n_steps + 1ull, sizeof(*graph->n_into));
	graph->parent = xmalloc((dag->n_tasks + 1ull) * sizeof(*graph->parent));
	graph->task_flags = xcalloc(dag->n_tasks + 1ull, 1);
	memset(graph->parent, 0xff, (dag->n_tasks + 1ull) * sizeof(*graph->parent));
	locked_find(&making.locked, dag, changes);
	make_steps(&making);
	make_edges(&making);
	make_locks(&making);
	make_arrivals(&making);
	locked_free(&making.locked);
}

void graph_free(struct graph *graph)
{
	free(graph->step);
	free(graph->n_into);
	free(graph->out);
	free(graph->lock);
	free(graph->held);
	free(graph->parent);
	free(graph->task_flags);
	free(graph->parts);
	free(graph->arrival);
	map_free(&graph->parts_of);
	*graph = (struct graph){ 0 };
}

/* Theirs are the first of the parts. */
void graph_keep_whole(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->dag->n_collapsed; i++)
		graph->parts[i].n = 1;
}

/* ---- the longest way ---- */

static uint64_t longer(const uint64_t *way, strand_id to, uint64_t longest)
{
	return to != STRAND_NONE && way[to] > longest ? way[to] : longest;
}

uint64_t graph_way_after(const struct graph *graph, const struct step *step, const uint64_t *way)
{
	uint64_t longest = longer(way, step->next, longer(way, step->child, 0));
	uint32_t n;
	const strand_id *out = graph_out(graph, step, &n);

	for (uint32_t o = 0; o < n; o++)
		longest = longer(way, out[o], longest);
	return longest;
}

uint64_t *graph_ways(const struct graph *graph)
{
	uint64_t *way = xmalloc((graph->n_steps + 1ull) * sizeof(*way));

	for (strand_id s = graph->n_steps; s-- > 0;)
		way[s] =
			graph_way_after(graph, &graph->step[s], way) + graph_longest_part(graph, s);
	return way;
}

#define HELD_AGAIN 2u /* held[]: its end enters a lock that its task has already */

/* The work of the step's task while it has the lock that the step's end enters. */
static uint64_t work_under(struct graph *graph, strand_id s)
{
	uint64_t work_ns = 0;
	uint32_t depth = 1;

	for (strand_id n = graph->step[s].next; n != STRAND_NONE && depth;
	     n = graph->step[n].next) {
		const struct step *step = &graph->step[n];
		bool same = graph->lock[n] == graph->lock[s];

		work_ns += step->length;
		if (step->end == STEP_LOCKS && same) {
			graph->held[n] = HELD_AGAIN;
			depth++;
		} else if (step->end == STEP_UNLOCKS && same) {
			depth--;
		}
	}
	return work_ns;
}

static void measure_locks(struct graph *graph)
{
	uint64_t *under = xcalloc(graph->lock_room + 1ull, sizeof(*under));

	graph->serial_ns = 0;
	for (strand_id s = 0; graph->held && s < graph->n_steps; s++) {
		uint64_t *its;

		if (graph->step[s].end != STEP_LOCKS || graph->held[s] == HELD_AGAIN)
			continue;
		its = &under[graph->lock[s]];
		*its += work_under(graph, s);
		if (*its > graph->serial_ns)
			graph->serial_ns = *its;
	}
	free(under);
}

void graph_measure(struct graph *graph)
{
	uint64_t *way = graph_ways(graph);

	graph->work_ns = graph->span_ns = 0;
	for (strand_id s = 0; s < graph->n_steps; s++) {
		graph->work_ns += graph->step[s].length;
		graph->span_ns = longer(way, s, graph->span_ns);
	}
	free(way);
	measure_locks(graph);
}
