/* SPDX-License-Identifier: MIT */
/* paths.c - follows tasks to their creators, and shares out what was collapsed. */
#include "tools/analysis/paths.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/apportion.h"
#include "tools/analysis/cycles.h"
#include "tools/analysis/kinds.h"
#include "tools/base/xalloc.h"

/* ---- the tree ---- */

static kind_id code_of(const struct paths *paths, uint32_t path)
{
	return paths->code[paths->path[path].kind];
}

static uint32_t add(struct paths *paths, uint32_t parent, kind_id kind)
{
	kind_id code = paths->code[kind];
	uint64_t *lead = map_put(&paths->lead, (uint64_t)parent << 32 | paths->cycle[code]);
	uint64_t *with = map_put(&paths->with, (uint64_t)parent << 32 | code);
	uint32_t path = paths->n;

	array_grow(&paths->path, &paths->room, path + 1ull, sizeof(*paths->path));
	paths->path[path] =
		(struct path){ .parent = parent,
			       .lead = *lead ? (uint32_t)*lead - 1 : path,
			       .next = PATH_NONE,
			       .last = path,
			       .depth = parent == PATH_NONE ? 0 : paths->path[parent].depth + 1,
			       .kind = kind };
	if (*lead) {
		struct path *first = &paths->path[*lead - 1];

		paths->path[first->last].next = path;
		first->last = path;
	} else {
		*lead = path + 1ull;
	}
	*with = path + 1ull;
	paths->n++;
	return path;
}

/* The path of the kind's tasks below that parent. */
static uint32_t path_with(struct paths *paths, uint32_t parent, kind_id kind)
{
	const uint64_t *with = map_find(&paths->with, (uint64_t)parent << 32 | paths->code[kind]);

	if (with)
		return (uint32_t)*with - 1;
	if (parent != PATH_NONE &&
	    (paths->n >= PATHS_MAX || paths->path[parent].depth + 1 == PATHS_DEEPEST))
		return path_with(paths, PATH_NONE, kind);
	return add(paths, parent, kind);
}

/* The path of the kind's tasks that those of `creator` create. */
static uint32_t path_below(struct paths *paths, uint32_t creator, kind_id kind)
{
	const struct path *above;

	if (creator == PATH_NONE)
		return path_with(paths, PATH_NONE, kind);
	above = &paths->path[creator];
	if (paths->cycle[code_of(paths, creator)] != paths->cycle[paths->code[kind]])
		return path_with(paths, above->lead, kind);
	paths->path[above->lead].recursive = true;
	return path_with(paths, above->parent, kind);
}

/* ---- tasks ---- */

/* of_task[]: the task's creator, for now; TASK_NONE: it is a root, or nobody saw the creator. */
static void find_creators(struct paths *paths)
{
	const struct dag *dag = paths->from;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		const uint64_t *creator = map_find(&dag->creators, t);

		paths->of_task[t] = creator ? (task_id)*creator : TASK_NONE;
	}
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct strand *strand = &dag->strand[s];

		if (dag->how[s] & STRAND_FIRST && strand->pred != STRAND_NONE)
			paths->of_task[strand->task] = dag->strand[strand->pred].task;
	}
}

/* Which codes are recursive with one another. */
static void find_cycles(struct paths *paths)
{
	const struct dag *dag = paths->from;
	struct map edges = { 0 }; /* from the code of a creator to one of what it creates */
	uint64_t *edge, n = 0;

	for (task_id t = 0; t < dag->n_tasks; t++) {
		task_id creator = paths->of_task[t];

		if (creator != TASK_NONE)
			map_put(&edges, cycles_edge(paths->code[dag->task_kind[creator]],
						    paths->code[dag->task_kind[t]]));
	}
	paths->cycle = xmalloc((dag->n_kinds + 1ull) * sizeof(*paths->cycle));
	edge = xmalloc((edges.n + 1ull) * sizeof(*edge));
	for (uint32_t i = 0; i < edges.n_slots; i++)
		if (edges.used[i])
			edge[n++] = edges.entry[i].key;
	cycles_find(edge, n, dag->n_kinds, paths->cycle);
	free(edge);
	map_free(&edges);
}

/* A creator has a lower number than what it creates. */
static void place_tasks(struct paths *paths)
{
	const struct dag *dag = paths->from;

	find_creators(paths);
	find_cycles(paths);
	add(paths, PATH_NONE, KIND_OF_ROOTS); /* 0 */
	for (task_id t = 0; t < dag->n_tasks; t++) {
		task_id creator = paths->of_task[t];
		uint32_t above = creator == TASK_NONE ? PATH_NONE : paths->of_task[creator];
		kind_id kind = dag->task_kind[t];

		paths->of_task[t] = kind == KIND_OF_ROOTS ? 0 : path_below(paths, above, kind);
	}
}

/* ---- collapsed tasks ---- */

struct sharing {
	uint32_t n_seen;   /* paths of tasks that were not collapsed */
	uint64_t *below;   /* n_seen: a lead: tasks collapsed below those of its paths */
	uint32_t *through; /* n_seen: the nearest lead above that has such tasks; PATH_NONE */
	uint64_t *weight;  /* by path: how likely it is for tasks of the kind at hand */
	uint64_t *part;	   /* by path: what it gets of a sum */
};

/* Of what the strand stands for, how much is selected; if no task was collapsed, all count the
 * same. */
static uint64_t below_strand(const struct paths *paths, strand_id s)
{
	const struct dag *dag = paths->from;
	uint64_t length = dag_length(dag, s), start = dag_start(dag, s);
	uint64_t n = dag->n_collapsed_tasks ? dag_collapsed(dag, s)->n_tasks : 1;
	uint64_t within = select_within(paths->select, start, start + length);

	if (!select_has(paths->select, start, start + length))
		return 0;
	if (within >= length || n == 0)
		return n;
	return (uint64_t)((unsigned __int128)n * within / length) + 1;
}

static void count_below(const struct paths *paths, struct sharing *sharing)
{
	const struct dag *dag = paths->from;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (dag_collapsed(dag, s))
			sharing->below[paths->path[paths->of_task[dag->strand[s].task]].lead] +=
				below_strand(paths, s);
	for (uint32_t p = 0; p < sharing->n_seen; p++) {
		uint32_t parent = paths->path[p].parent;

		sharing->through[p] = parent == PATH_NONE || sharing->below[parent]
					      ? parent
					      : sharing->through[parent];
	}
}

/* The nearest path, from `path` on upwards, whose code the kind is recursive with; PATH_NONE. */
static uint32_t recursive_with(const struct paths *paths, uint32_t path, kind_id kind)
{
	kind_id cycle = paths->cycle[paths->code[kind]];

	while (path != PATH_NONE && paths->cycle[code_of(paths, path)] != cycle)
		path = paths->path[path].parent;
	return path;
}

/* Weighs the paths that lead through collapsed tasks to the kind, as far as any were seen. */
static void weigh(struct paths *paths, kind_id kind, struct sharing *sharing)
{
	uint64_t *weight = sharing->weight;

	memset(weight, 0, paths->n * sizeof(*weight));
	for (uint32_t p = 0; p < sharing->n_seen; p++) {
		uint32_t through = sharing->through[p];
		uint32_t above = sharing->below[p] ? recursive_with(paths, p, kind) : PATH_NONE;

		if (code_of(paths, p) == paths->code[kind] && through != PATH_NONE)
			weight[p] += sharing->below[through];
		if (above == PATH_NONE)
			continue;
		above = path_with(paths, paths->path[above].parent, kind);
		weight[above] += sharing->below[p];
	}
}

/* No path of the kind was seen: makes one below each path with collapsed tasks. */
static void guess(struct paths *paths, kind_id kind, struct sharing *sharing)
{
	for (uint32_t p = 0; p < sharing->n_seen; p++) {
		uint32_t n = paths->n;
		uint32_t path = sharing->below[p] ? path_with(paths, p, kind) : 0;

		paths->path[path].guessed |= paths->n > n;
		sharing->weight[path] += sharing->below[p];
	}
}

/* ---- their sums ---- */

/* Adds one sum of the kind, split by weight, at `offset` bytes into the sums of the paths. */
static void split(const struct paths *paths, struct sharing *sharing, uint64_t sum, size_t offset)
{
	if (sum)
		apportion(sum, sharing->weight, paths->n, sharing->part);

	for (uint32_t p = 0; p < paths->n && sum; p++)
		if (sharing->part[p])
			*(uint64_t *)((char *)paths->collapsed[p] + offset) += sharing->part[p];
}

static void share_kind(struct paths *paths, kind_id kind, struct sharing *sharing)
{
	const struct kind_collapsed *from = paths->from->kind_collapsed[kind];
	uint32_t n_targets = 0;
	uint64_t sum = 0;

	weigh(paths, kind, sharing);

	for (uint32_t p = 0; p < paths->n; p++)
		sum += sharing->weight[p];
	if (!sum)
		guess(paths, kind, sharing);

	for (uint32_t p = 0; p < paths->n; p++) {
		struct kind_collapsed *to =
			sharing->weight[p] ? kinds_sums(&paths->collapsed[p]) : NULL;

		if (!sharing->weight[p])
			continue;
		n_targets++;
		to->least_ns = from->least_ns < to->least_ns ? from->least_ns : to->least_ns;
		to->most_ns = from->most_ns > to->most_ns ? from->most_ns : to->most_ns;
	}
	if (!sum || n_targets > 1)
		paths->n_guessed += from->n_tasks;
	split(paths, sharing, from->n_tasks, offsetof(struct kind_collapsed, n_tasks));
	split(paths, sharing, from->work_ns, offsetof(struct kind_collapsed, work_ns));
	split(paths, sharing, from->ready_ns, offsetof(struct kind_collapsed, ready_ns));
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++)
		split(paths, sharing, from->n_by_work[i],
		      offsetof(struct kind_collapsed, n_by_work) + i * sizeof(uint64_t));
}

static void share_collapsed(struct paths *paths)
{
	struct sharing sharing = { .n_seen = paths->n };
	const struct dag *dag = paths->from;
	uint64_t n = paths->n + 1ull, most = n + PATHS_MAX + dag->n_kinds;

	sharing.below = xcalloc(n, sizeof(*sharing.below));
	sharing.through = xcalloc(n, sizeof(*sharing.through));
	sharing.weight = xcalloc(most, sizeof(*sharing.weight));
	sharing.part = xcalloc(most, sizeof(*sharing.part));
	paths->collapsed = xcalloc(most, sizeof(struct kind_collapsed *));
	count_below(paths, &sharing);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			share_kind(paths, k, &sharing);
	free(sharing.below);
	free(sharing.through);
	free(sharing.weight);
	free(sharing.part);
}

/* ---- all of it ---- */

/* The graph with paths for kinds. */
static void regroup(struct paths *paths)
{
	const struct dag *from = paths->from;
	uint32_t n = paths->n;

	paths->site = xmalloc(n * sizeof(*paths->site));
	paths->what = xmalloc(n * sizeof(*paths->what));
	paths->runtimes = xmalloc(n * sizeof(*paths->runtimes));
	for (uint32_t p = 0; p < n; p++) {
		kind_id kind = paths->path[p].kind;

		paths->site[p] = from->kind_site[kind];
		paths->what[p] = from->kind_what[kind];
		paths->runtimes[p] = from->kind_runtimes[kind];
	}
	paths->dag = *from;
	paths->dag.n_kinds = n;
	paths->dag.task_kind = paths->of_task;
	paths->dag.kind_collapsed = paths->collapsed;
	paths->dag.kind_site = paths->site;
	paths->dag.kind_what = paths->what;
	paths->dag.kind_runtimes = paths->runtimes;
}

static void free_building(struct paths *paths)
{
	free(paths->cycle);
	map_free(&paths->with);
	map_free(&paths->lead);
	paths->cycle = NULL;
}

void paths_build(struct paths *paths, const struct dag *dag, const struct select *select,
		 const kind_id *code)
{
	*paths = (struct paths){ .from = dag, .select = select, .code = code };
	paths->of_task = xcalloc(dag->n_tasks + 1ull, sizeof(*paths->of_task));
	place_tasks(paths);
	share_collapsed(paths);
	regroup(paths);
	free_building(paths);
}

void paths_free(struct paths *paths)
{
	for (uint32_t p = 0; paths->collapsed && p < paths->n; p++)
		free(paths->collapsed[p]);
	free(paths->collapsed);
	free(paths->path);
	free(paths->of_task);
	free(paths->site);
	free(paths->what);
	free(paths->runtimes);
	free_building(paths);
	*paths = (struct paths){ 0 };
}
