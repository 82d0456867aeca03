/* SPDX-License-Identifier: MIT */
/* lives.c - one loop over the strands for the tasks, one for the rows. */
#include "tools/view/lives.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/at_most.h"
#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"

task_id lives_parent(const struct lives *lives, const struct dag *dag, task_id task)
{
	strand_id first = lives->first[task];
	strand_id creator = first == STRAND_NONE ? STRAND_NONE : dag->strand[first].pred;
	const uint64_t *parent;

	if (creator != STRAND_NONE && !dag_is_node(dag, creator))
		return dag->strand[creator].task;
	parent = map_find(&dag->creators, task);
	return parent ? (task_id)*parent : TASK_NONE;
}

static void begin(struct lives *lives, const struct dag *dag, task_id task, strand_id s)
{
	task_id parent;

	lives->first[task] = s;
	parent = lives_parent(lives, dag, task);
	if (parent != TASK_NONE)
		lives->depth[task] = (uint16_t)at_most(lives->depth[parent] + 1ull, LIVES_DEEP);
}

static void add_tasks(struct lives *lives, const struct dag *dag)
{
	uint64_t n = dag->n_tasks + 1ull;

	lives->first = xmalloc(n * sizeof(*lives->first));
	lives->n_strands = xcalloc(n, sizeof(*lives->n_strands));
	lives->depth = xcalloc(n, sizeof(*lives->depth));
	memset(lives->first, 0xff, n * sizeof(*lives->first));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		task_id task = dag->strand[s].task;

		if (dag_is_node(dag, s))
			continue;
		if (lives->first[task] == STRAND_NONE)
			begin(lives, dag, task, s);
		lives->n_strands[task]++;
	}
}

static void add_rows(struct lives *lives, const struct dag *dag, const uint32_t *row,
		     uint32_t n_rows)
{
	FREED uint64_t *at = xcalloc(n_rows + 1ull, sizeof(*at));

	lives->row_first = xcalloc(n_rows + 2ull, sizeof(*lives->row_first));
	lives->strand = xmalloc((dag->n_strands + 1ull) * sizeof(*lives->strand));
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			lives->row_first[row[dag->strand[s].worker] + 1]++;
	for (uint32_t r = 0; r < n_rows; r++) {
		lives->row_first[r + 1] += lives->row_first[r];
		at[r] = lives->row_first[r];
	}
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			lives->strand[at[row[dag->strand[s].worker]]++] = s;
}

void lives_build(struct lives *lives, const struct dag *dag, const uint32_t *row, uint32_t n_rows)
{
	add_tasks(lives, dag);
	add_rows(lives, dag, row, n_rows);
}

void lives_chosen(struct lives *lives)
{
	free(lives->n_strands);
	free(lives->depth);
	free(lives->strand);
	free(lives->row_first);
	*lives = (struct lives){ .first = lives->first };
}

void lives_free(struct lives *lives)
{
	lives_chosen(lives);
	free(lives->first);
	*lives = (struct lives){ 0 };
}

uint64_t lives_before(const struct lives *lives, const struct dag *dag, uint32_t row, uint64_t ns)
{
	uint64_t first = lives->row_first[row];

	return SORTED_BEFORE(&lives->strand[first], lives->row_first[row + 1] - first,
			     dag_start(dag, *it) < ns);
}
