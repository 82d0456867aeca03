/* SPDX-License-Identifier: MIT */
/* beside.c - reads traces and compares each with the first. */
#include "tools/cmd/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/diff/diff_json.h"

#define CURE_STRANDS UINT64_C(2000000) /* simulated in all: half a second of one core */

static int no_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

static int open_trace(struct beside *beside, const char *path, const struct speedups_wanted *curves,
		      struct err *err)
{
	uint32_t i = beside->n++;
	int error = run_open(&beside->run[i], path, NULL, err);

	if (!error)
		error = summary_build(&beside->summary[i], &beside->run[i],
				      SUMMARY_USUAL | SUMMARY_PATHS, err);
	if (!error && speedups_are_wanted(curves)) {
		error = speedups_make(&beside->curves[i], &beside->run[i], curves, err);
		beside->summary[i].curves = &beside->curves[i];
	}
	beside->shown[i] = (struct view_side){ .label = path, .summary = &beside->summary[i] };
	return error;
}

/* What a diff needs of a trace. */
static int open_side(struct beside *beside, uint32_t i, struct err *err)
{
	struct side *side = &beside->side[i];
	struct outcome outcome = { 0 };
	int error = outcome_build(&outcome, &beside->summary[i]);

	if (!error)
		error = lineage_build(&side->lineage, &beside->run[i].dag);
	side->label = strdup(beside->shown[i].label);
	if (error || !side->label) {
		outcome_free(&outcome);
		return no_memory(err);
	}
	if (side_add(side, &outcome, NULL) < 0)
		return no_memory(err);
	side_complete(side);
	return 0;
}

static int compare(struct beside *beside, uint32_t i, struct err *err)
{
	const struct question question = { .threshold = THRESHOLD_SHARE };
	struct side pair[] = { beside->side[0], beside->side[i] }; /* borrowed */
	struct comparison comparison = { 0 };
	size_t bytes;
	FILE *out = open_memstream(&beside->diff[i], &bytes);
	int error =
		out ? comparison_build(&comparison, pair, 2, NULL, &question, err) : no_memory(err);

	if (!error)
		diff_json(out, &comparison);
	comparison_free(&comparison);
	if (out && fclose(out) != 0 && !error)
		error = no_memory(err);
	beside->shown[i].diff = beside->diff[i];
	return error;
}

/* What the cures of findings would bring, where that takes no time worth mentioning; a page without
 * them is whole. */
static void try_cures(struct beside *beside)
{
	const struct try_wanted wanted = { .strands_most = CURE_STRANDS, .schedules = true };
	struct err refused = { 0 };

	if (try_out(&beside->tried, &beside->summary[0], &wanted, &refused) < 0) {
		try_out_free(&beside->tried);
		beside->tried.why_not = beside->tried.why = strdup(refused.text);
	}
	beside->shown[0].tried = &beside->tried;
}

int beside_open(struct beside *beside, char **path, uint32_t n,
		const struct speedups_wanted *curves, struct err *err)
{
	int error = 0;

	for (uint32_t i = 0; i < n && !error; i++)
		error = open_trace(beside, path[i], curves, err);
	for (uint32_t i = 0; i < n && n > 1 && !error; i++)
		error = open_side(beside, i, err);
	for (uint32_t i = 1; i < n && !error; i++)
		error = compare(beside, i, err);
	if (n == 1 && !error)
		try_cures(beside);
	return error;
}

void beside_free(struct beside *beside)
{
	try_out_free(&beside->tried);
	for (uint32_t i = 0; i < beside->n; i++) {
		free(beside->diff[i]);
		side_free(&beside->side[i]);
		speedups_free(&beside->curves[i]);
		summary_free(&beside->summary[i]);
		run_close(&beside->run[i]);
	}
	*beside = (struct beside){ 0 };
}
