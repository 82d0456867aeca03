/* SPDX-License-Identifier: MIT */
/* forks.c - builds the graph for one depth after the other, by halves. */
#include "tools/export/forks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/units.h"
#include "tools/base/utf8.h"
#include "tools/base/ratio.h"
#include "tools/base/xalloc.h"

#define TASK_WIDTH 30u
#define STEP_HEIGHT 30u
#define STEPS 10u
#define CIRCLE 10u

const char *fork_label(const struct export *export, const struct fork_node *node,
		       char out[FORKS_LABEL])
{
	const char *name = export->name[node->kind];
	char time[UNITS_TIME], many[40] = "";

	if (node->type != FORKS_TASK)
		return node->type == FORKS_FORK ? "^" : "*";
	if (node->n_tasks > 1)
		snprintf(many, sizeof(many), "%" PRIu64 " tasks, ", node->n_tasks);
	snprintf(out, FORKS_LABEL, "%.*s\n%s%s", (int)utf8_part(name, EXPORT_NAME - 1), name, many,
		 units_time(time, node->work_ns));
	return out;
}

const char *fork_color(const struct export *export, const struct fork_node *node)
{
	/* work / cost: below 1 the task should be a call */
	static const struct {
		double below;
		const char *color;
	} step[] = { { 1, "#D73027" },	{ 2, "#FC8D59" },   { 5, "#FEE090" },
		     { 10, "#E0F3F8" }, { 100, "#91BFDB" }, { 1e300, "#74ADD1" } };
	double benefit;
	size_t i = 0;

	if (node->type != FORKS_TASK)
		return node->type == FORKS_FORK ? "#2E8B57" : "#FF7F50";
	benefit = export->summary->findings.grain[node->kind].benefit;
	if (benefit <= 0)
		return "#CCCCCC";
	while (benefit >= step[i].below)
		i++;
	return step[i].color;
}

unsigned fork_width(const struct fork_node *node)
{
	return node->type == FORKS_TASK ? TASK_WIDTH : CIRCLE;
}

unsigned fork_height(const struct forks *graph, const struct fork_node *node)
{
	double share = ratio(node->work_ns, graph->most_work_ns);

	if (node->type != FORKS_TASK)
		return CIRCLE;
	return STEP_HEIGHT * (1 + (unsigned)(share * (STEPS - 1)));
}

const char *const fork_node_name[FORKS_NODE_TYPES] = { "task", "fork", "join" };
const char *const fork_edge_name[FORKS_EDGE_TYPES] = { "create", "join", "continue", "depend" };

/* The children of a task that one wait joins. */
struct group {
	uint32_t fork, join; /* nodes; join FORKS_NONE: nobody waits for them */
};

struct building {
	const struct export *export;
	struct forks *graph;
	/* by task, once */
	uint32_t *depth;
	strand_id *joined_at; /* the strand that it is joined by; STRAND_NONE */
	bool *has_children, *on_path;
	uint32_t deepest;
	/* by task, for each depth */
	uint32_t *node;
	uint32_t *tail; /* what comes after the task's groups so far: a node; its own, at first */
	struct map groups;  /* creator << 32 | joined_at -> group + 1 */
	struct map merged;  /* group << 32 | kind -> node + 1 */
	struct map depends; /* node << 32 | node -> 1 */
	struct group *group;
	uint64_t n_groups, group_room;
};

/* ---- what does not depend on the depth ---- */

static bool has_creator(const struct export *export, task_id task)
{
	task_id creator = export->task[task].creator;

	return creator != TASK_NONE && creator < task && export->task[creator].kept;
}

/* A creator has a lower number than what it creates. */
static void find_depths(struct building *of)
{
	const struct export *export = of->export;

	for (task_id t = 0; t < export->dag->n_tasks; t++) {
		if (!export->task[t].kept || !has_creator(export, t))
			continue;
		of->depth[t] = of->depth[export->task[t].creator] + 1;
		of->has_children[export->task[t].creator] = true;
		if (of->depth[t] > of->deepest)
			of->deepest = of->depth[t];
	}
}

static void find_joins(struct building *of)
{
	const struct dag *dag = of->export->dag;

	for (task_id t = 0; t < dag->n_tasks; t++)
		of->joined_at[t] = STRAND_NONE;
	for (uint32_t e = 0; e < dag->n_extras; e++) {
		strand_id from = dag->extra[e].from, to = dag->extra[e].to;
		task_id task = dag->strand[from].task;

		if (task != TASK_NONE && of->export->task[task].last == from &&
		    dag_edge_kind(dag, from, to) == EDGE_JOIN && of->joined_at[task] == STRAND_NONE)
			of->joined_at[task] = to;
	}
	for (uint32_t i = 0; i < of->export->path.n; i++)
		of->on_path[dag->strand[of->export->path.strand[i]].task] = true;
}

static void open_building(struct building *of)
{
	uint64_t n = of->export->dag->n_tasks + 1ull;

	of->depth = xcalloc(n, sizeof(*of->depth));
	of->joined_at = xmalloc(n * sizeof(*of->joined_at));
	of->has_children = xcalloc(n, sizeof(*of->has_children));
	of->on_path = xcalloc(n, sizeof(*of->on_path));
	of->node = xmalloc(n * sizeof(*of->node));
	of->tail = xmalloc(n * sizeof(*of->tail));
	find_depths(of);
	find_joins(of);
}

static void clear(struct building *of)
{
	map_free(&of->groups);
	map_free(&of->merged);
	map_free(&of->depends);
	of->n_groups = 0;
}

static void close_building(struct building *of)
{
	clear(of);
	free(of->group);
	free(of->depth);
	free(of->joined_at);
	free(of->has_children);
	free(of->on_path);
	free(of->node);
	free(of->tail);
}

/* ---- nodes and edges ---- */

/* A new node. */
static uint32_t add_node(struct forks *graph, enum fork_node_type type, task_id task)
{
	array_grow(&graph->node, &graph->node_room, graph->n_nodes + 1ull, sizeof(*graph->node));
	graph->node[graph->n_nodes] = (struct fork_node){
		.type = type, .task = task, .worker = FORKS_NONE, .create_ns = EXPORT_UNKNOWN
	};
	return graph->n_nodes++;
}

static void add_edge(struct forks *graph, uint32_t from, uint32_t to, enum fork_edge_type type)
{
	ARRAY_ADD(graph->edge, graph->n_edges, graph->edge_room,
		  (struct fork_edge){ from, to, type, 1 });
}

/* The task counts for the node; `whole`: it was not contracted into another one. */
static void add_task(struct building *of, uint32_t at, task_id t, bool whole)
{
	const struct export *export = of->export;
	const struct export_task *task = &export->task[t];
	struct fork_node *node = &of->graph->node[at];

	node->n_tasks += 1 + task->n_collapsed;
	node->work_ns += task->work_ns;
	node->on_path |= of->on_path[t];
	if (task->created_ns < node->create_ns)
		node->create_ns = task->created_ns;
	if (task->first == STRAND_NONE)
		return;
	if (task->end_ns > node->end_ns)
		node->end_ns = task->end_ns;
	if (!whole)
		return;
	uint32_t worker = export->dag->strand[task->first].worker;

	node->exec_ns += task->end_ns - task->begin_ns;
	node->worker =
		node->worker == FORKS_NONE || node->worker == worker ? worker : FORKS_SEVERAL;
}

/* ---- groups ---- */

/* What a group's fork follows, and its join or else its fork precedes: the creator's groups in
 * turn. */
static void chain_group(struct building *of, task_id creator, const struct group *group)
{
	struct forks *graph = of->graph;
	uint32_t tail = of->tail[creator];
	bool first = graph->node[tail].type == FORKS_TASK;

	of->tail[creator] = group->join == FORKS_NONE ? group->fork : group->join;
	add_edge(graph, tail, group->fork, first ? FORKS_CREATE : FORKS_CONTINUE);
}

/* The group of the task's siblings, made if it is new. */
static uint32_t group_of(struct building *of, task_id task)
{
	task_id creator = of->export->task[task].creator;
	strand_id joined_at = of->joined_at[task];
	uint64_t *at = map_put(&of->groups, (uint64_t)creator << 32 | joined_at);
	struct group *group;

	if (*at)
		return (uint32_t)(*at - 1);
	array_grow(&of->group, &of->group_room, of->n_groups + 1, sizeof(*of->group));
	group = &of->group[of->n_groups];
	*group = (struct group){ add_node(of->graph, FORKS_FORK, creator), FORKS_NONE };
	if (joined_at != STRAND_NONE)
		group->join = add_node(of->graph, FORKS_JOIN, creator);
	if (group->fork == FORKS_NONE || (joined_at != STRAND_NONE && group->join == FORKS_NONE))
		return FORKS_NONE;
	chain_group(of, creator, group);
	*at = ++of->n_groups;
	return (uint32_t)(of->n_groups - 1);
}

/* ---- tasks ---- */

/* A node of its own, below its group's fork. */
static void place_alone(struct building *of, task_id t, uint32_t group)
{
	uint32_t node = add_node(of->graph, FORKS_TASK, t);

	of->node[t] = of->tail[t] = node;
	of->graph->node[node].kind = of->export->dag->task_kind[t];
	of->graph->node[node].child_number = of->export->task[t].child_number;
	if (group == FORKS_NONE)
		return;
	add_edge(of->graph, of->group[group].fork, node, FORKS_CREATE);
}

/* A childless one: the node of those of its group and kind. */
static void place_leaf(struct building *of, task_id t, uint32_t group)
{
	kind_id kind = of->export->dag->task_kind[t];
	uint64_t *at = map_put(&of->merged, (uint64_t)group << 32 | kind);

	if (*at) {
		of->node[t] = of->tail[t] = (uint32_t)(*at - 1);
		of->graph->n_contracted++;
		return;
	}
	place_alone(of, t, group);
	*at = of->node[t] + 1ull;
}

/* n_most: 0 if every task is to have a node of its own. */
static void place(struct building *of, task_id t, uint32_t depth, uint32_t n_most)
{
	const struct export *export = of->export;
	bool child = has_creator(export, t);
	uint32_t group = FORKS_NONE;

	if (of->depth[t] > depth) {
		of->node[t] = of->node[export->task[t].creator];
		of->graph->n_contracted++;
		add_task(of, of->node[t], t, false);
		return;
	}
	if (child) {
		group = group_of(of, t);
		of->graph->node[of->node[export->task[t].creator]].n_children++;
	}
	if (n_most && (!of->has_children[t] || of->depth[t] == depth))
		place_leaf(of, t, group);
	else
		place_alone(of, t, group);
	add_task(of, of->node[t], t, true);
}

/* From the end of each task's node to the join of its group. */
static void add_joins(struct building *of, uint32_t depth)
{
	const struct export *export = of->export;

	for (task_id t = 0; t < export->dag->n_tasks; t++) {
		const uint64_t *at;
		uint32_t join;

		if (!export->task[t].kept || of->depth[t] > depth || !has_creator(export, t) ||
		    of->graph->node[of->node[t]].task != t)
			continue;
		at = map_find(&of->groups,
			      (uint64_t) export->task[t].creator << 32 | of->joined_at[t]);
		join = of->group[*at - 1].join;
		if (join != FORKS_NONE)
			add_edge(of->graph, of->tail[t], join, FORKS_JOINS);
	}
}

static void add_depends(struct building *of)
{
	const struct dag *dag = of->export->dag;

	for (uint32_t e = 0; e < dag->n_extras; e++) {
		strand_id from = dag->extra[e].from, to = dag->extra[e].to;
		uint64_t *at;

		if (!export_has(of->export, from) || !export_has(of->export, to) ||
		    dag_edge_kind(dag, from, to) != EDGE_DEPEND)
			continue;
		uint32_t a = of->node[dag->strand[from].task], b = of->node[dag->strand[to].task];

		if (a == b)
			continue;
		at = map_put(&of->depends, (uint64_t)a << 32 | b);
		if (*at)
			of->graph->edge[*at - 1].n++;
		else {
			add_edge(of->graph, a, b, FORKS_DEPEND);
			*at = of->graph->n_edges;
		}
	}
}

/* How many tasks an edge to or from a node stands for. */
static void count_edges(struct forks *graph)
{
	for (uint32_t e = 0; e < graph->n_edges; e++) {
		struct fork_edge *edge = &graph->edge[e];
		const struct fork_node *from = &graph->node[edge->from],
				       *to = &graph->node[edge->to];

		if (edge->type == FORKS_CREATE && to->type == FORKS_TASK)
			edge->n = to->n_tasks;
		if (edge->type == FORKS_JOINS && from->type == FORKS_TASK)
			edge->n = from->n_tasks;
	}
}

static void find_most(struct forks *graph)
{
	for (uint32_t n = 0; n < graph->n_nodes; n++)
		if (graph->node[n].work_ns > graph->most_work_ns)
			graph->most_work_ns = graph->node[n].work_ns;
}

static void build_depth(struct building *of, uint32_t depth, uint32_t n_most)
{
	const struct export *export = of->export;

	clear(of);
	of->graph->n_nodes = of->graph->n_edges = 0;
	of->graph->n_contracted = 0;
	of->graph->depth = depth;
	for (task_id t = 0; t < export->dag->n_tasks; t++)
		if (export->task[t].kept)
			place(of, t, depth, n_most);
	add_joins(of, depth);
	add_depends(of);
	count_edges(of->graph);
}

/* The largest depth that gives few enough nodes. */
static void build(struct building *of, uint32_t n_most)
{
	uint32_t low = 0, high = of->deepest; /* low is few enough, as far as can be */

	build_depth(of, of->deepest, 0);

	if (!n_most || of->graph->n_nodes <= n_most)
		return;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		build_depth(of, middle, n_most);
		if (of->graph->n_nodes <= n_most)
			low = middle;
		else
			high = middle - 1;
	}
	build_depth(of, low, n_most);
}

void forks_build(struct forks *graph, const struct export *export, uint32_t n_most)
{
	struct building of = { .export = export, .graph = graph };

	*graph = (struct forks){ 0 };
	open_building(&of);
	build(&of, n_most);
	find_most(graph);
	close_building(&of);
}

void forks_free(struct forks *graph)
{
	free(graph->node);
	free(graph->edge);
	*graph = (struct forks){ 0 };
}
