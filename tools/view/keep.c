/* SPDX-License-Identifier: MIT */
/* keep.c - counts strands by length, and takes the longest; or takes those of a stretch of time. */
#include "tools/view/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/released.h"

#define LENGTHS 512u
#define KEPT 0u	  /* in number[] and task[], until they are numbered */
#define MARKED 1u /* before the rest, whatever its length */
#define LEFT_OUT 0xffffffffu
#define ANCESTORS 16u /* of a task that is kept: their names, and the strands that created them */

/* Lengths by eighths of powers of two. */
static unsigned class_of(uint64_t length)
{
	unsigned log2 = length ? 63u - (unsigned)__builtin_clzll(length) : 0;

	return log2 < 3 ? (unsigned)length : log2 * 8 + (unsigned)(length >> (log2 - 3) & 7);
}

/* The ready path, and strands that moved with what released them. */
static void mark(struct keep *keep, const struct dag *dag, const struct ready_path *path)
{
	uint32_t hint = 0;

	for (uint32_t i = 0; i < path->n; i++)
		keep->number[path->strand[i]] = MARKED;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id releaser;

		if (dag_is_node(dag, s))
			continue;
		releaser = dag_releaser(dag, s, &hint);
		if (released_move(dag, s, releaser) == MOVE_NONE)
			continue;
		keep->number[s] = MARKED;
		keep->number[releaser] = MARKED;
	}
}

/* Keeps the longest of those with that mark, by classes of length; how many of `most` are then
 * left. */
static uint64_t keep_longest(struct keep *keep, const struct dag *dag, uint32_t with, uint64_t most)
{
	uint64_t n[LENGTHS] = { 0 };
	unsigned least = LENGTHS;

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (keep->number[s] == with)
			n[class_of(dag_length(dag, s))]++;
	while (least > 0 && n[least - 1] <= most)
		most -= n[--least];
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (keep->number[s] == with)
			keep->number[s] = class_of(dag_length(dag, s)) >= least ? KEPT : LEFT_OUT;
	return least > 0 ? 0 : most;
}

/* ---- numbers ---- */

static void number_strands(struct keep *keep, const struct dag *dag)
{
	keep->n = 0;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (keep->number[s] != LEFT_OUT)
			keep->number[s] = keep->n++;
}

static int number_tasks(struct keep *keep, const struct dag *dag, const struct lives *lives)
{
	keep->task = malloc((dag->n_tasks + 1ull) * sizeof(*keep->task));
	if (!keep->task)
		return -ENOMEM;
	memset(keep->task, 0xff, (dag->n_tasks + 1ull) * sizeof(*keep->task));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		task_id task = dag->strand[s].task;

		if (keep->number[s] == LEFT_OUT)
			continue;
		for (unsigned up = 0; task != TASK_NONE && up <= ANCESTORS; up++) {
			if (keep->task[task] <= up)
				break;
			keep->task[task] = up;
			task = lives_parent(lives, dag, task);
		}
	}
	keep->n_tasks = 0;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (keep->task[t] != LEFT_OUT)
			keep->task[t] = keep->n_tasks++;
	return 0;
}

int keep_choose(struct keep *keep, const struct dag *dag, const struct ready_path *path,
		const struct lives *lives, uint64_t most)
{
	*keep = (struct keep){ .n = dag->n_strands, .n_tasks = dag->n_tasks };
	if (dag->n_strands <= most)
		return 0;
	keep->number = malloc(dag->n_strands * sizeof(*keep->number));
	if (!keep->number)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands; s++)
		keep->number[s] = MARKED + 1;
	mark(keep, dag, path);
	most = keep_longest(keep, dag, MARKED, most);
	keep_longest(keep, dag, MARKED + 1, most);
	number_strands(keep, dag);
	return number_tasks(keep, dag, lives);
}

/* ---- of a stretch of time ---- */

static void take(struct keep *keep, strand_id s)
{
	if (s != STRAND_NONE && keep->number[s] == LEFT_OUT)
		keep->number[s] = KEPT;
}

/* What comes before it. */
static void take_before(struct keep *keep, const struct dag *dag, strand_id s, uint32_t *hint)
{
	take(keep, dag->strand[s].pred);
	take(keep, ready_path_released_by(dag, s, hint));
	if (!(dag->how[s] & STRAND_EXTRA))
		return;
	for (uint32_t e = dag_extras(dag, s, hint); e < dag->n_extras && dag->extra[e].to == s; e++)
		take(keep, dag->extra[e].from);
}

/* The strands that created it, its parent, .. */
static void take_creators(struct keep *keep, const struct dag *dag, const struct lives *lives,
			  strand_id s)
{
	for (unsigned up = 0; up < ANCESTORS && s != STRAND_NONE && !dag_is_node(dag, s); up++) {
		strand_id first = lives->first[dag->strand[s].task];

		take(keep, first);
		s = dag->strand[first].pred;
		take(keep, s);
	}
}

int keep_window(struct keep *keep, const struct keep *base, const struct dag *dag,
		const struct lives *lives, uint32_t n_rows, uint64_t from_ns, uint64_t to_ns)
{
	*keep = (struct keep){ .number = malloc((dag->n_strands + 1ull) * sizeof(*keep->number)) };
	if (!keep->number)
		return -ENOMEM;
	memcpy(keep->number, base->number, dag->n_strands * sizeof(*keep->number));
	for (uint32_t row = 0; row < n_rows; row++) {
		const strand_id *of = lives->strand + lives->row_first[row];
		uint64_t n = lives->row_first[row + 1] - lives->row_first[row];
		uint64_t at = lives_before(lives, dag, row, from_ns),
			 hi = lives_before(lives, dag, row, to_ns);
		uint32_t hint = 0;

		for (at -= at > 0; at <= hi && at < n; at++) {
			take(keep, of[at]);
			take_before(keep, dag, of[at], &hint);
			take_creators(keep, dag, lives, of[at]);
		}
	}
	number_strands(keep, dag);
	return number_tasks(keep, dag, lives);
}

void keep_free(struct keep *keep)
{
	free(keep->number);
	free(keep->task);
	*keep = (struct keep){ 0 };
}
