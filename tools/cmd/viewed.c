/* SPDX-License-Identifier: MIT */
/* viewed.c - reads traces and compares each with the first. */
#include "tools/cmd/viewed.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/diff/diff_screen.h"

#define CURE_STRANDS UINT64_C(2000000) /* simulated in all: half a second of one core */

static int open_trace(struct viewed *viewed, const char *path, const struct speedups_wanted *curves,
		      struct err *err)
{
	uint32_t i = viewed->n++;
	struct summed *of = &viewed->of[i];
	int error = run_open(&of->run, path, NULL, err);

	if (error)
		return error;
	/* only cures and curves ask for them */
	if (of->run.dag.n_strands > CURE_STRANDS && !speedups_are_wanted(curves))
		dag_drop_ids(&of->run.dag);
	summary_build(&of->summary, &of->run, SUMMARY_USUAL | SUMMARY_PATHS | SUMMARY_DRAWN);
	viewed->shown[i] = (struct view_side){ .label = path, .summary = &of->summary };
	if (!speedups_are_wanted(curves))
		return 0;
	of->summary.curves = &viewed->curves[i];
	return speedups_make(&viewed->curves[i], &of->run, curves, err);
}

/* What a diff needs of a trace. */
static void open_side(struct viewed *viewed, uint32_t i)
{
	struct side *side = &viewed->side[i];
	struct outcome outcome = { 0 };

	outcome_build(&outcome, &viewed->of[i].summary);
	lineage_build(&side->lineage, &viewed->of[i].run.dag);
	side->label = xstrdup(viewed->shown[i].label);
	side_add(side, &outcome, NULL);
	side_complete(side);
}

static int compare(struct viewed *viewed, uint32_t i, struct err *err)
{
	const struct question question = { .threshold = THRESHOLD_SHARE };
	struct side pair[] = { viewed->side[0], viewed->side[i] }; /* borrowed */
	AT_END(comparison_free) struct comparison comparison = { 0 };
	size_t bytes;
	FILE *out = xopen_memstream(&viewed->diff[i], &bytes);
	int error = comparison_build(&comparison, pair, 2, NULL, &question, err);

	if (!error)
		diff_json(out, &comparison);
	xclose_memstream(out);
	viewed->shown[i].diff = viewed->diff[i];
	return error;
}

/* What the cures of findings would bring, where that takes no time worth mentioning; a page without
 * them is whole. */
static void try_cures(struct viewed *viewed)
{
	const struct try_wanted wanted = { .strands_most = CURE_STRANDS, .schedules = true };
	struct err refused = { 0 };

	if (try_out(&viewed->tried, &viewed->of[0].summary, &wanted, &refused) < 0) {
		try_out_free(&viewed->tried);
		viewed->tried.why_not = viewed->tried.why = xstrdup(refused.text);
	}
	viewed->shown[0].tried = &viewed->tried;
}

int viewed_open(struct viewed *viewed, char **path, uint32_t n,
		const struct speedups_wanted *curves, struct err *err)
{
	int error = 0;

	for (uint32_t i = 0; i < n && !error; i++)
		error = open_trace(viewed, path[i], curves, err);
	for (uint32_t i = 0; i < n && n > 1 && !error; i++)
		open_side(viewed, i);
	for (uint32_t i = 1; i < n && !error; i++)
		error = compare(viewed, i, err);
	if (n == 1 && !error)
		try_cures(viewed);
	return error;
}

void viewed_free(struct viewed *viewed)
{
	try_out_free(&viewed->tried);
	for (uint32_t i = 0; i < viewed->n; i++) {
		free(viewed->diff[i]);
		side_free(&viewed->side[i]);
		speedups_free(&viewed->curves[i]);
		summed_close(&viewed->of[i]);
	}
	*viewed = (struct viewed){ 0 };
}
