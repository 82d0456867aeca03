/* SPDX-License-Identifier: MIT */
/* dag.c - questions that a finished dag answers. */
#include "tools/dag/dag.h"

#include <stdlib.h>

#include "tools/base/sorted.h"
#include "tools/dag/ids.h"

const char *const edge_kind_name[EDGE_KINDS] = { "create", "create_cont", "wait_cont",
						 "join",   "depend",	  "sync" };
const char *const kind_what_name[KIND_WHATS] = { "root", "implicit", "task", "loop" };
const char *const data_access_name[DATA_ACCESSES] = { "unknown", "read", "write", "unordered" };

#define HINT_STEPS 8

uint32_t dag_extras(const struct dag *dag, strand_id s, uint32_t *hint)
{
	uint32_t low = *hint, high = dag->n_extras;

	if (!(dag->how[s] & STRAND_EXTRA))
		return dag->n_extras;
	if (low < high && dag->extra[low].to == s && (low == 0 || dag->extra[low - 1].to != s))
		return low; /* in a loop upward over the strands, nearly always */
	if (low >= high || dag->extra[low].to > s)
		low = 0;
	for (int i = 0; i < HINT_STEPS && low < high && dag->extra[low].to < s; i++)
		low++;
	if (low < high && dag->extra[low].to != s)
		low += (uint32_t)SORTED_BEFORE(&dag->extra[low], high - low, it->to < s);
	while (low > 0 && dag->extra[low - 1].to == s) /* the hint may have been inside */
		low--;
	*hint = low;
	return low;
}

strand_id dag_releaser_of(const struct dag *dag, strand_id s, uint32_t *hint)
{
	strand_id best = dag->strand[s].pred;
	uint64_t best_end;
	uint32_t e;

	if (dag_is_node(dag, s))
		return (strand_id)*map_find(&dag->node_releaser, s);
	best_end = best == STRAND_NONE ? 0 : dag_end(dag, best);
	for (e = dag_extras(dag, s, hint); e < dag->n_extras && dag->extra[e].to == s; e++) {
		uint64_t end = dag_end(dag, dag->extra[e].from);

		if (best == STRAND_NONE || end > best_end) {
			best = dag->extra[e].from;
			best_end = end;
		}
	}
	*hint = e; /* of the next that has any */
	return best;
}

void dag_set_wait(struct dag *dag, strand_id s, uint16_t number)
{
	uint64_t *large = NULL;

	if (number >= DAG_WAIT_LARGE) {
		large = map_put(&dag->waits_of, s);
		*large = number;
	}
	dag->wait_of[s] = large ? DAG_WAIT_LARGE : (uint8_t)number;
}

const struct dag_object *dag_object_of(const struct dag *dag, strand_id s)
{
	uint64_t at = SORTED_BEFORE(dag->object, dag->n_objects, it->strand < s);

	return at < dag->n_objects && dag->object[at].strand == s ? &dag->object[at] : NULL;
}

void dag_drop_ids(struct dag *dag)
{
	ids_free(dag->ids);
	free(dag->ids);
	dag->ids = NULL;
}

void dag_free(struct dag *dag)
{
	free(dag->strand);
	free(dag->how);
	free(dag->wait_of);
	free(dag->wait);
	free(dag->object);
	free(dag->message);
	free(dag->operation);
	free(dag->data);
	for (unsigned i = 0; i < WIRE_COUNTERS; i++)
		free(dag->count[i]);
	free(dag->extra);
	map_free(&dag->lengths);
	map_free(&dag->waits_of);
	for (uint32_t k = 0; dag->kind_collapsed && k < dag->n_kinds; k++)
		free(dag->kind_collapsed[k]);
	free(dag->kind_collapsed);
	free(dag->collapsed);
	map_free(&dag->collapsed_of);
	map_free(&dag->node_releaser);
	free(dag->task_kind);
	free(dag->task_state);
	free(dag->task_path);
	free(dag->kind_site);
	free(dag->kind_what);
	free(dag->kind_runtimes);
	free(dag->worker_runtimes);
	free(dag->worker_tasks);
	free(dag->beside);
	free(dag->gap);
	free(dag->hold);
	map_free(&dag->root_runtimes);
	map_free(&dag->creators);
	dag_drop_ids(dag);
	*dag = (struct dag){ 0 };
}

static const char *check_edge(const struct dag *dag, strand_id from, strand_id to)
{
	if (from >= to)
		return "an edge leads backwards";
	if (dag_end(dag, from) > dag_start(dag, to))
		return "a strand starts before its predecessor has ended";
	return NULL;
}

const char *dag_check(const struct dag *dag)
{
	const char *wrong = NULL;

	for (strand_id s = 0; s < dag->n_strands && !wrong; s++) {
		const struct strand *strand = &dag->strand[s];

		if (dag_end(dag, s) > dag->elapsed_ns)
			wrong = "a strand ends after the window";
		else if (!dag_is_node(dag, s) && strand->task >= dag->n_tasks)
			wrong = "a strand has no task";
		else if (strand->pred != STRAND_NONE)
			wrong = check_edge(dag, strand->pred, s);
	}
	for (uint32_t e = 0; e < dag->n_extras && !wrong; e++) {
		if (e && dag->extra[e].to < dag->extra[e - 1].to)
			wrong = "extra edges are out of order";
		else if (dag->extra[e].to >= dag->n_strands ||
			 !(dag->how[dag->extra[e].to] & STRAND_EXTRA))
			wrong = "a strand does not know of its extra edge";
		else
			wrong = check_edge(dag, dag->extra[e].from, dag->extra[e].to);
	}
	return wrong;
}
