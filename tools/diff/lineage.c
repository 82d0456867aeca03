/* SPDX-License-Identifier: MIT */
/* lineage.c - numbers the children of each task in the order of their creation. */
#include "tools/diff/lineage.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/map.h"
#include "tools/base/random.h"
#include "tools/base/xalloc.h"

struct numbering {
	struct lineage *lineage;
	const struct dag *dag;
	uint32_t *number;      /* by strand: of what it created with its end */
	struct map team_of;  /* strand that forked it -> task[] */
	struct map until_of; /* team -> when its last strand that created something ended */
};

static uint64_t mix(uint64_t parent, uint64_t number)
{
	return random_mix(parent * 0x9e3779b97f4a7c15u + number);
}

/* What has the task's children. */
static uint32_t holder_of(const struct lineage *lineage, task_id task)
{
	return lineage->task[task].flags & LINEAGE_MEMBER ? lineage->task[task].parent : task;
}

/* The strand's task created something. */
static void number_child(struct numbering *all, strand_id s)
{
	task_id creator = all->dag->strand[s].task;
	struct lineage_task *task = all->lineage->task, *holder;
	uint64_t *until;

	holder = &task[holder_of(all->lineage, creator)];
	all->number[s] = ++holder->n_children;
	if (holder == &task[creator])
		return;
	until = map_put(&all->until_of, (uint64_t)(holder - task));
	if (holder->creator != creator && *until > dag_start(all->dag, s))
		holder->flags |= LINEAGE_CHANCE;
	if (*until < dag_end(all->dag, s))
		*until = dag_end(all->dag, s);
	holder->creator = creator;
}

static void place(struct lineage *lineage, uint32_t at, uint32_t parent, uint32_t number)
{
	lineage->task[at].parent = parent;
	lineage->task[at].number = number;
	lineage->task[at].key = mix(lineage->task[parent].key, number);
}

/* The team that the strand forked. */
static uint32_t team_at(struct numbering *all, strand_id fork)
{
	struct lineage *lineage = all->lineage;
	uint64_t *at = map_put(&all->team_of, fork);

	if (*at)
		return (uint32_t)*at;
	array_grow(&lineage->task, &lineage->room, lineage->n + 1ull, sizeof(*lineage->task));
	lineage->task[lineage->n] = (struct lineage_task){ .creator = TASK_NONE };
	place(lineage, lineage->n, holder_of(lineage, all->dag->strand[fork].task),
	      all->number[fork]);
	*at = lineage->n;
	return lineage->n++;
}

/* A task begins with that strand. */
static void place_task(struct numbering *all, strand_id s)
{
	const struct dag *dag = all->dag;
	struct lineage *lineage = all->lineage;
	strand_id pred = dag->strand[s].pred;
	task_id t = dag->strand[s].task;
	unsigned what = dag->kind_what[dag->task_kind[t]];
	uint32_t team;

	lineage->task[t].worker = dag->strand[s].worker;
	if (dag->task_kind[t] == KIND_OF_ROOTS) {
		lineage->task[t].number = ++lineage->n_roots;
		lineage->task[t].key = mix(0, lineage->n_roots);
		return;
	}
	lineage->n_explicit += what != KIND_IMPLICIT;
	if (pred == STRAND_NONE || dag_is_node(dag, pred)) {
		lineage->task[t].flags |= LINEAGE_CHANCE;
		return;
	}
	if (lineage->task[t].worker != dag->strand[pred].worker)
		lineage->task[t].flags |= LINEAGE_STOLEN;
	if ((dag->how[pred] & STRAND_ENDED_BY) != WIRE_FORK) {
		lineage->task[t].flags |= LINEAGE_COUNTS;
		place(lineage, t, holder_of(lineage, dag->strand[pred].task), all->number[pred]);
		return;
	}
	team = team_at(all, pred);
	lineage->task[t].parent = team;
	lineage->task[t].flags |= LINEAGE_MEMBER;
}

static void place_all(struct numbering *all)
{
	const struct dag *dag = all->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		unsigned ended_by = dag->how[s] & STRAND_ENDED_BY;
		const struct collapsed *collapsed;

		if (dag_is_node(dag, s))
			continue;
		if (dag->how[s] & STRAND_FIRST)
			place_task(all, s);
		if (ended_by == WIRE_CREATE || ended_by == WIRE_FORK)
			number_child(all, s);
		collapsed = dag_collapsed(dag, s);
		all->lineage->task[dag->strand[s].task].work_ns +=
			collapsed ? collapsed->own_ns : dag_length(dag, s);
	}
}

/* What is below chance is chance; parents begin before their children. */
static void leave_out_chance(struct lineage *lineage, const struct dag *dag)
{
	for (strand_id s = 0; s < dag->n_strands; s++) {
		struct lineage_task *task, *parent;

		if (dag_is_node(dag, s) || !(dag->how[s] & STRAND_FIRST))
			continue;
		task = &lineage->task[dag->strand[s].task];
		if (task->parent == LINEAGE_NONE)
			continue;
		parent = &lineage->task[task->parent];
		if (task->flags & LINEAGE_MEMBER)
			parent->flags |= lineage->task[parent->parent].flags & LINEAGE_CHANCE;
		if (parent->flags & LINEAGE_CHANCE) {
			task->flags |= LINEAGE_CHANCE;
			task->flags &= (uint8_t)~LINEAGE_COUNTS;
		}
	}
}

static int by_key(const void *a, const void *b, void *context)
{
	const struct lineage_task *task = context;

	return order_least(task[*(const uint32_t *)a].key, task[*(const uint32_t *)b].key);
}

static void put_in_order(struct lineage *lineage)
{
	lineage->order = xmalloc((lineage->n_tasks + 1ull) * sizeof(*lineage->order));
	for (uint32_t t = 0; t < lineage->n_tasks; t++)
		if (lineage->task[t].flags & LINEAGE_COUNTS)
			lineage->order[lineage->n_ordered++] = t;
	qsort_r(lineage->order, lineage->n_ordered, sizeof(*lineage->order), by_key, lineage->task);
}

void lineage_build(struct lineage *lineage, const struct dag *dag)
{
	struct numbering all = { .lineage = lineage, .dag = dag };

	*lineage = (struct lineage){ .n_tasks = dag->n_tasks,
				     .n = dag->n_tasks,
				     .n_explicit = dag->n_collapsed_tasks,
				     .n_collapsed = dag->n_collapsed_tasks };
	all.number = xmalloc((dag->n_strands + 1ull) * sizeof(*all.number));
	array_grow(&lineage->task, &lineage->room, dag->n_tasks + 1ull, sizeof(*lineage->task));
	for (task_id t = 0; t < dag->n_tasks; t++)
		lineage->task[t] = (struct lineage_task){ .parent = LINEAGE_NONE,
							  .creator = TASK_NONE,
							  .kind = dag->task_kind[t] };
	place_all(&all);
	leave_out_chance(lineage, dag);
	put_in_order(lineage);
	map_free(&all.team_of);
	map_free(&all.until_of);
	free(all.number);
}

void lineage_free(struct lineage *lineage)
{
	free(lineage->task);
	free(lineage->order);
	*lineage = (struct lineage){ 0 };
}

#define NUMBERS_SHOWN 12u

char *lineage_path(char out[LINEAGE_PATH], const struct lineage *lineage, uint32_t task)
{
	uint32_t number[NUMBERS_SHOWN], n = 0, at = task;
	int bytes;

	while (lineage->task[at].parent != LINEAGE_NONE && n < NUMBERS_SHOWN) {
		number[n++] = lineage->task[at].number;
		at = lineage->task[at].parent;
	}
	if (lineage->task[at].parent != LINEAGE_NONE)
		bytes = snprintf(out, LINEAGE_PATH, "..");
	else if (lineage->task[at].number > 1)
		bytes = snprintf(out, LINEAGE_PATH, "R%u", lineage->task[at].number);
	else
		bytes = snprintf(out, LINEAGE_PATH, "R");
	while (n > 0)
		bytes += snprintf(out + bytes, (size_t)(LINEAGE_PATH - bytes), "-%u", number[--n]);
	return out;
}
