/* SPDX-License-Identifier: MIT */
/* simulated_rows.c - the run with some changes, and a trace of it. */
#include "tools/whatif/simulated_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/values.h"
#include "tools/model/virtual.h"
#include "tools/table/fit.h"
#include "tools/table/look.h"

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
	struct placed *placed = calloc(dag->n_strands + 1ull, sizeof(*placed));
	char *names = NULL;
	size_t bytes;
	FILE *out = open_memstream(&names, &bytes);
	struct outcome outcome;
	int fd, error = 0;

	if (out)
		sites_put(&rows->run->sites, out);
	if (!placed || !out || fclose(out) != 0)
		error = err_no_memory(err);
	if (!error)
		error = simulate(simulation, &outcome, placed, err);
	if (error)
		goto out;
	run.placed = placed;
	run.name_lines = names;
	fd = open(request->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		error = err_set(err, errno, "%s: cannot create: %s", request->output,
				strerror(errno));
		goto out;
	}
	error = virtual_write(&run, fd, request->output, err);
	if (error)
		unlink(request->output);
out:
	free(names);
	free(placed);
	return error;
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
	int error = model_build(&model, forecast, changes, err);

	if (!error)
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

int simulated_changes(const struct rows *rows, struct changes *changes, struct policy *policy,
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
