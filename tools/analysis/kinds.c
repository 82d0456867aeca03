/* SPDX-License-Identifier: MIT */
/* kinds.c - the work of each task, gathered by kind. */
#include "tools/analysis/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *work_by_task(const struct dag *dag)
{
	uint64_t *work = calloc(dag->n_tasks + 1ull, sizeof(*work));

	for (strand_id s = 0; work && s < dag->n_strands; s++)
		if (!dag_is_node(dag, s))
			work[dag->strand[s].task] += dag_end(dag, s) - dag_start(dag, s);
	return work;
}

/* The k-th smallest, by Hoare's quickselect; puts value[] in another order. */
static uint64_t select_kth(uint64_t *value, uint64_t n, uint64_t k)
{
	uint64_t low = 0, high = n - 1;

	while (low < high) {
		uint64_t pivot = value[low + (high - low) / 2];
		uint64_t i = low, j = high;

		for (;;) {
			while (value[i] < pivot)
				i++;
			while (value[j] > pivot)
				j--;
			if (i >= j)
				break;
			uint64_t swap = value[i];

			value[i++] = value[j];
			value[j--] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return value[k];
}

static void summarize(struct kind_facts *facts, uint64_t *work)
{
	if (facts->n_begun == 0)
		return;
	facts->min_ns = UINT64_MAX;
	for (uint64_t i = 0; i < facts->n_begun; i++) {
		if (work[i] < facts->min_ns)
			facts->min_ns = work[i];
		if (work[i] > facts->max_ns)
			facts->max_ns = work[i];
	}
	facts->median_ns = select_kth(work, facts->n_begun, (facts->n_begun - 1) / 2);
}

int kinds_of(const struct dag *dag, struct kind_facts *facts)
{
	uint64_t *work = work_by_task(dag);
	uint64_t *sorted = malloc((dag->n_tasks + 1ull) * sizeof(*sorted));
	uint64_t *next = calloc(dag->n_kinds + 1ull, sizeof(*next));
	int error = work && sorted && next ? 0 : -ENOMEM;

	memset(facts, 0, dag->n_kinds * sizeof(*facts));
	if (error)
		goto out;
	for (task_id t = 0; t < dag->n_tasks; t++) {
		struct kind_facts *kind = &facts[dag->task_kind[t]];

		kind->n_tasks++;
		kind->n_begun += (dag->task_state[t] & TASK_BEGUN) != 0;
	}
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		next[k + 1] = next[k] + facts[k].n_begun;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (dag->task_state[t] & TASK_BEGUN)
			sorted[next[dag->task_kind[t]]++] = work[t];
	for (uint32_t k = 0; k < dag->n_kinds; k++) /* next[k] is now where kind k ends */
		summarize(&facts[k], sorted + next[k] - facts[k].n_begun);
out:
	free(work);
	free(sorted);
	free(next);
	return error;
}
