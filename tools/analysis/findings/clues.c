/* SPDX-License-Identifier: MIT */
/* clues.c - the memory of what a sweep gathers. */
#include "tools/analysis/findings/clues.h"

#include <stdlib.h>

#include "tools/analysis/findings/findings.h"
#include "tools/base/xalloc.h"

void clues_open(struct clues *clues, const struct findings_of *of)
{
	const struct dag *dag = of->dag;

	clues->dag = dag;
	clues->select = of->select;
	clues->end_ns = dag->elapsed_ns;
	if (of->select && of->select->n) {
		clues->begin_ns = of->select->span[0].from_ns;
		clues->end_ns = of->select->span[of->select->n - 1].to_ns;
	}
	clues->facts = of->facts;
	clues->rounds = of->ahead ? of->rounds : &clues->own_rounds;
	clues->kind = xcalloc(dag->n_kinds + 1ull, sizeof(*clues->kind));
	clues->wait = xcalloc(dag->n_waits + 1ull, sizeof(*clues->wait));
	clues->ran_ns = xcalloc(dag->n_slots + 1ull, sizeof(*clues->ran_ns));
}

void clues_free(struct clues *clues)
{
	for (uint32_t k = 0; clues->kind && k < clues->dag->n_kinds; k++)
		free(clues->kind[k].cost);
	free(clues->kind);
	free(clues->wait);
	free(clues->ran_ns);
	free(clues->part);
	rounds_free(&clues->own_rounds);
	*clues = (struct clues){ 0 };
}
