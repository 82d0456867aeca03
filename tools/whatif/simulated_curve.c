/* SPDX-License-Identifier: MIT */
/* simulated_curve.c - a row for each number of parts, beside the exact span. */
#include "tools/whatif/simulated_curve.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/whatif/kind_names.h"
#include "tools/model/split_curve_put.h"

#define PARTS_LEAST 8u	/* parts are doubled at least up to there, .. */
#define PARTS_END 1024u /* .. and at most to there, .. */
#define PARTS_NEAR 100u /* .. until the span is within so much of that without end */
#define ROWS_MOST 12u

struct curving {
	const struct rows *rows;
	struct changes changes;
	struct policy policy;
	struct split_curve curve;
	struct changes region; /* its kinds are split */
	uint32_t parts[ROWS_MOST];
};

static int find_curve(struct curving *curving, struct err *err)
{
	struct model model;
	int error = model_build(&model, curving->rows->forecast, &curving->changes, err);

	if (!error && split_curve_find(&curving->curve, &model.graph, curving->region.kind) < 0)
		error = err_no_memory(err);
	model_free(&model);
	return error;
}

/* Whether more parts could still shorten the span by more than a hundredth. */
static bool goes_on(const struct split_curve *curve, uint32_t parts)
{
	uint64_t end = split_curve_span(curve, 0), now = split_curve_span(curve, parts);

	return parts < PARTS_LEAST || (parts < PARTS_END && now - end > end / PARTS_NEAR);
}

/* All kinds of that name, as --split takes them. */
static int find_kinds(struct curving *curving, struct err *err)
{
	const struct rows *rows = curving->rows;
	char name[600];

	if (!curving->changes.kind)
		curving->changes.kind =
			calloc(rows->run->dag.n_kinds, sizeof(*curving->changes.kind));
	if (!curving->changes.kind)
		return err_no_memory(err);
	snprintf(name, sizeof(name), "%s:2", rows->request->curve);
	return what_if_add(&curving->region, &curving->policy, rows->run, IF_SPLIT, name, err);
}

static void set_parts(struct curving *curving, uint32_t parts)
{
	for (kind_id k = 0; k < curving->rows->run->dag.n_kinds; k++)
		if (curving->region.kind[k].split)
			curving->changes.kind[k].split = parts;
}

static int add_rows(struct curving *curving, struct err *err)
{
	const struct rows *rows = curving->rows;
	uint32_t n = 0, parts = 1;
	int error = 0;

	for (; !error && n < ROWS_MOST; parts *= 2) {
		char what[40];

		set_parts(curving, parts);
		curving->parts[n++] = parts;
		snprintf(what, sizeof(what), "%u parts", parts);
		error = forecast_add(rows->forecast, what, &curving->changes, &curving->policy,
				     &rows->request->wanted, err);
		if (!goes_on(&curving->curve, parts))
			break;
	}
	return error;
}

static void put(FILE *out, const void *of)
{
	split_curve_screen(out, of);
}

int simulated_curve(const struct rows *rows, struct err *err)
{
	struct curving curving = { .rows = rows };
	struct kind_names names = { 0 };
	int error = simulated_changes(rows, &curving.changes, &curving.policy, err);

	if (!error)
		error = find_kinds(&curving, err);
	if (!error && kind_names_make(&names, rows->run) < 0)
		error = err_no_memory(err);
	if (!error)
		error = find_curve(&curving, err);
	if (!error)
		error = add_rows(&curving, err);
	if (!error) {
		struct split_curve_shown shown = { &curving.curve, rows->forecast, curving.parts,
						   rows->request->curve, names.name };

		if (rows->request->json)
			split_curve_json(stdout, &shown);
		else
			simulated_print(put, &shown);
	}
	kind_names_free(&names);
	changes_free(&curving.region);
	changes_free(&curving.changes);
	return error;
}
