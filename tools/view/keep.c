/* SPDX-License-Identifier: MIT */
/* keep.c - counts strands by length, and takes the longest. */
#include "tools/view/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/released.h"

#define LENGTHS 64u

static unsigned log2_of(uint64_t length)
{
	return length ? 63u - (unsigned)__builtin_clzll(length) : 0;
}

/* Marks with 0 what is kept whatever its length. */
static void mark_marked(struct keep *keep, const struct dag *dag, const struct ready_path *path)
{
	uint32_t hint = 0;

	for (uint32_t i = 0; i < path->n; i++)
		keep->number[path->strand[i]] = 0;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id releaser;

		if (dag_is_node(dag, s))
			continue;
		releaser = dag_releaser(dag, s, &hint);
		if (released_move(dag, s, releaser) == MOVE_NONE)
			continue;
		keep->number[s] = 0;
		keep->number[releaser] = 0;
	}
}

/* The least log2 of a length of which all can be kept. */
static unsigned least_kept(const struct keep *keep, const struct dag *dag, uint64_t most)
{
	uint64_t n[LENGTHS] = { 0 }, n_kept = 0;
	unsigned least = LENGTHS;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (keep->number[s] == 0)
			n_kept++;
		else
			n[log2_of(dag_length(dag, s))]++;
	}
	while (least > 0 && n_kept + n[least - 1] <= most)
		n_kept += n[--least];
	return least;
}

int keep_choose(struct keep *keep, const struct dag *dag, const struct ready_path *path,
		uint64_t most)
{
	unsigned least;

	*keep = (struct keep){ .n = dag->n_strands };
	if (dag->n_strands <= most)
		return 0;
	keep->number = malloc(dag->n_strands * sizeof(*keep->number));
	if (!keep->number)
		return -ENOMEM;
	memset(keep->number, 0xff, dag->n_strands * sizeof(*keep->number));
	mark_marked(keep, dag, path);
	least = least_kept(keep, dag, most);
	keep->n = 0;
	for (strand_id s = 0; s < dag->n_strands; s++)
		if (keep->number[s] == 0 || log2_of(dag_length(dag, s)) >= least)
			keep->number[s] = keep->n++;
	return 0;
}

void keep_free(struct keep *keep)
{
	free(keep->number);
	*keep = (struct keep){ 0 };
}
