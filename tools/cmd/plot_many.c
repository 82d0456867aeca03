/* SPDX-License-Identifier: MIT */
/* plot_many.c - reads traces in children, and puts them in order. */
#include "tools/cmd/plot_many.h"

#include <errno.h>

#include "tools/base/say.h"
#include "tools/team/runs.h"
#include "tools/cmd/warn.h"

int plot_read(struct plot_traces *traces, const char *path, const struct plot_wanted *wanted,
	      bool *damaged, struct err *err)
{
	struct summary summary = { 0 };
	struct run run = { 0 };
	int error = run_open(&run, path, &wanted->phases, err);

	if (error)
		return error;
	error = summary_build(&summary, &run, SUMMARY_USUAL, err);
	if (!error && plot_traces_add(traces, &summary, path, wanted->bounds) < 0)
		error = err_no_memory(err);
	if (!error)
		*damaged = warn_of(&run);
	summary_free(&summary);
	run_close(&run);
	return error;
}

int plot_piece(void *context, const char *path, FILE *result)
{
	struct plot_traces traces = { 0 };
	struct err err = { 0 };
	bool damaged = false;
	int error = plot_read(&traces, path, context, &damaged, &err);

	if (!error)
		plot_traces_write(result, &traces);
	plot_traces_free(&traces);
	return error ? say_fail(&err) : damaged;
}

struct many {
	struct plot_traces *traces;
	int error; /* -ENOMEM */
};

static void take_trace(void *context, uint32_t i, const struct crew_done *done)
{
	struct many *many = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };

	(void)i;
	if (done->result.n && !many->error)
		many->error = plot_traces_read(many->traces, &bytes);
}

int plot_read_all(struct plot_traces *traces, struct team *team, char **argument, int n,
		  uint32_t *n_bad, struct err *err)
{
	struct many many = { .traces = traces };
	struct runs runs = { .team = team, .take = take_trace, .context = &many };
	struct inputs inputs = { 0 };
	int error = inputs_open(&inputs, argument, n, err);

	if (!error)
		error = runs_of_inputs(&runs, &inputs, true, err);
	if (!error && many.error)
		error = err_no_memory(err);
	*n_bad = inputs.n_bad + runs.n_bad;
	inputs_free(&inputs);
	return error;
}
