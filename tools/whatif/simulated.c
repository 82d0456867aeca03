/* SPDX-License-Identifier: MIT */
/*
 * simulated.c - rows of a forecast: the run with changes, a kind in more and more parts, the
 * smallest sets of changes, and what slowing did.
 */
#include "tools/whatif/simulated.h"

#include <limits.h>

#include "tools/base/output.h"
#include "tools/base/values.h"
#include "tools/base/xalloc.h"
#include "tools/model/virtual.h"
#include "tools/table/fit.h"
#include "tools/table/look.h"
#include "tools/whatif/what_if.h"
#include "tools/model/fewest.h"
#include "tools/model/split_curve.h"

/* The virtual run of the graph that has the median elapsed time. */
static int write_graph(const struct rows *rows, const struct simulation *simulation,
		       struct err *err)
{
	const struct request *request = rows->request;
	const struct dag *dag = &rows->run->dag;
	struct virtual_run run = { .reader = rows->run->reader,
				   .dag = dag,
				   .n_workers = simulation->n_workers,
				   .policy = simulation->policy.name };
	FREED struct placed *placed = xcalloc(dag->n_strands + 1ull, sizeof(*placed));
	FREED char *names = NULL;
	AT_END(output_discard) struct output output = { 0 };
	size_t bytes;
	FILE *out = xopen_memstream(&names, &bytes);
	struct outcome outcome;
	int fd, error;

	sites_put(&rows->run->sites, out);
	xclose_memstream(out);
	error = simulate(simulation, &outcome, placed, err);
	if (error)
		return error;
	run.placed = placed;
	run.name_lines = names;
	fd = output_new(&output, request->output, err);
	if (fd < 0)
		return fd;
	return virtual_write(&run, fd, request->output, err) ?: output_keep(&output, err);
}

static int write_trace(const struct rows *rows, const struct changes *changes,
		       const struct policy *policy, struct err *err)
{
	const struct forecast *forecast = rows->forecast;
	const struct point *point = forecast->row[forecast->n_rows - 1].point;
	struct model model;
	struct simulation simulation = { .graph = &model.graph,
					 .leads = &model.leads,
					 .searches = &model.searches,
					 .fits = rows->forecast->fitted ? &model.fits : NULL,
					 .scaling = rows->forecast->scaling,
					 .changes = changes,
					 .policy = *policy,
					 .n_workers = point->n_workers,
					 .seed = point->outcome.seed };
	int error;

	model_build(&model, forecast, changes);
	error = write_graph(rows, &simulation, err);

	model_free(&model);
	return error;
}

/* The changes from one to another, all at once, as a row. */
static int add_row(const struct rows *rows, uint32_t from, uint32_t to, bool last, struct err *err)
{
	const struct request *request = rows->request;
	struct changes changes = { .whole = request->whole };
	struct policy policy = rows->policy;
	char what[1024] = "as recorded";
	size_t n = 0;
	int error = 0;

	for (uint32_t i = from; i < to && !error; i++) {
		const char *value = request->change[i].value;
		enum what_if of = request->change[i].what;

		error = what_if_add(&changes, &policy, rows->run, of, value, err);
		if (n < sizeof(what))
			n += (size_t)snprintf(what + n, sizeof(what) - n, "%s--%s%s%s",
					      i == from ? "" : " ", what_if_name[of],
					      value ? " " : "", value ? value : "");
	}
	if (!error)
		error = forecast_add(rows->forecast, what, &changes, &policy, &request->wanted,
				     err);
	if (!error && last && request->output)
		error = write_trace(rows, &changes, &policy, err);
	changes_free(&changes);
	return error;
}

int simulated_rows(const struct rows *rows, struct err *err)
{
	uint32_t n = rows->request->n_changes;
	int error = add_row(rows, 0, 0, n == 0, err);

	for (uint32_t i = 0; i < n && !error; i++)
		error = add_row(rows, i, i + 1, n == 1, err);
	if (n > 1 && !error)
		error = add_row(rows, 0, n, true, err);
	return error;
}

/* All changes of the request at once; to be freed whatever is returned. */
static int all_changes(const struct rows *rows, struct changes *changes, struct policy *policy,
		       struct err *err)
{
	const struct request *request = rows->request;
	int error = 0;

	*changes = (struct changes){ .whole = request->whole };
	*policy = rows->policy;
	for (uint32_t i = 0; i < request->n_changes && !error; i++)
		error = what_if_add(changes, policy, rows->run, request->change[i].what,
				    request->change[i].value, err);
	return error;
}

unsigned simulated_width(void)
{
	return value_width(LOOK_NARROWEST, INT_MAX, INT_MAX);
}

void simulated_print(void (*put)(FILE *out, const void *of), const void *of)
{
	fit_output(stdout, put, of, (int)simulated_width());
}

/* ---- --curve ---- */

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

static void find_curve(struct curving *curving)
{
	struct model model;

	model_build(&model, curving->rows->forecast, &curving->changes);

	split_curve_find(&curving->curve, &model.graph, curving->region.kind);
	model_free(&model);
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
			xcalloc(rows->run->dag.n_kinds, sizeof(*curving->changes.kind));
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

static void put_parts(FILE *out, const void *of)
{
	split_curve_screen(out, of);
}

int simulated_curve(const struct rows *rows, struct err *err)
{
	struct curving curving = { .rows = rows };
	struct kind_names names = { 0 };
	int error = all_changes(rows, &curving.changes, &curving.policy, err) ?:
		    find_kinds(&curving, err);

	if (!error)
		kind_names_make(&names, rows->run);
	if (!error) {
		find_curve(&curving);
		error = add_rows(&curving, err);
	}
	if (!error) {
		struct split_curve_shown shown = { &curving.curve, rows->forecast, curving.parts,
						   rows->request->curve, names.name };

		if (rows->request->json)
			split_curve_json(stdout, &shown);
		else
			simulated_print(put_parts, &shown);
	}
	kind_names_free(&names);
	changes_free(&curving.region);
	changes_free(&curving.changes);
	return error;
}

/* ---- --fewest-changes ---- */

struct shown {
	const struct fewest *fewest;
	const struct forecast *forecast;
	char *const *name;
};

static void put_fewest(FILE *out, const void *of)
{
	const struct shown *shown = of;

	fewest_screen(out, shown->fewest, shown->forecast, shown->name);
}

int simulated_fewest(const struct rows *rows, struct err *err)
{
	struct kind_names names = { 0 };
	struct fewest fewest = { 0 };
	struct changes changes;
	struct policy policy;
	int error = all_changes(rows, &changes, &policy, err);

	if (!error)
		kind_names_make(&names, rows->run);
	if (!error)
		error = fewest_find(&fewest, rows->forecast, &changes, &policy,
				    &rows->request->wanted, err);
	if (!error && rows->request->json)
		fewest_json(stdout, &fewest, rows->forecast, names.name);
	else if (!error)
		simulated_print(put_fewest, &(struct shown){ &fewest, rows->forecast, names.name });
	fewest_free(&fewest);
	kind_names_free(&names);
	changes_free(&changes);
	return error;
}

/* ---- --against ---- */

static int add_slowed(const struct rows *rows, const struct against_side *slowed, struct err *err)
{
	struct changes changes = { .whole = rows->request->whole };
	struct policy policy = rows->policy;
	int error = 0;

	if (slowed)
		error = against_change(&changes, &policy, rows->run, slowed, err);
	if (!error)
		error = forecast_add(rows->forecast, slowed ? "slowed" : "as recorded", &changes,
				     &policy, &rows->request->wanted, err);
	changes_free(&changes);
	return error;
}

static void put_against(FILE *out, const void *of)
{
	against_screen(out, of);
}

int simulated_against(const struct rows *rows, const struct against_side *plain,
		      const struct against_side *slowed, bool *disagrees, struct err *err)
{
	struct against against = { .plain = plain, .slowed = slowed };
	int error = against_check(plain, slowed, err) ?: add_slowed(rows, NULL, err) ?:
		    add_slowed(rows, slowed, err);

	if (error)
		return error;
	against_judge(&against, rows->forecast->row[0].point, rows->forecast->row[1].point);
	*disagrees = against.verdict == AGAINST_DISAGREES;
	if (rows->request->json)
		against_json(stdout, &against);
	else
		simulated_print(put_against, &against);
	return 0;
}
