/* SPDX-License-Identifier: MIT */
/* plot_many.c - reads traces in children, and puts them in order. */
#include "tools/cmd/plot_many.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/say.h"
#include "tools/team/inputs.h"
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
		error = err_set(err, ENOMEM, "out of memory");
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
	struct team *team;
	struct inputs inputs;
	uint32_t *by_given; /* inputs in the order of the arguments, which the pieces have */
	uint32_t n_bad;
	int error; /* -ENOMEM */
};

static const char *input_path(void *context, uint32_t i)
{
	const struct many *many = context;

	return many->inputs.at[many->by_given[i]].path;
}

static void take_trace(void *context, uint32_t i, struct crew_done *done)
{
	struct many *many = context;
	struct bytes bytes = { .at = done->result.at, .n = done->result.n };

	if (team_tell(many->team, input_path(context, i), done))
		many->n_bad++;
	if (done->result.n && !many->error)
		many->error = plot_traces_read(many->traces, &bytes);
}

/* Numbers of inputs become numbers of pieces. */
static int number_pieces(struct many *many, uint32_t *order, struct err *err)
{
	many->by_given = malloc((many->inputs.n + 1ull) * sizeof(*many->by_given));
	if (!many->by_given)
		return err_set(err, ENOMEM, "out of memory");
	for (uint32_t i = 0; i < many->inputs.n; i++) {
		many->by_given[many->inputs.at[i].given] = i;
		order[i] = many->inputs.at[order[i]].given;
	}
	return 0;
}

int plot_read_all(struct plot_traces *traces, struct team *team, char **argument, int n,
		  uint32_t *n_bad, struct err *err)
{
	struct many many = { .traces = traces, .team = team };
	struct team_pieces pieces = { .name = input_path, .take = take_trace, .context = &many };
	uint32_t *order;
	int error = inputs_open_ordered(&many.inputs, argument, n, &order, err);

	if (!error)
		error = number_pieces(&many, order, err);
	pieces.order = order;
	pieces.n = many.inputs.n;
	if (!error)
		error = team_run(team, &pieces, err);
	if (!error && many.error)
		error = err_set(err, ENOMEM, "out of memory");
	*n_bad = many.inputs.n_bad + many.n_bad;
	free(order);
	free(many.by_given);
	inputs_free(&many.inputs);
	return error;
}
