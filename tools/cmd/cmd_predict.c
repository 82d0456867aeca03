/* SPDX-License-Identifier: MIT */
/* cmd_predict.c - tptrace predict: how long with another problem size and number of workers. */
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/base/say.h"
#include "tools/cmd/command.h"
#include "tools/cmd/options.h"
#include "tools/whatif/params.h"
#include "tools/whatif/training.h"
#include "tools/base/values.h"
#include "tools/table/look.h"

#define POINTS_MOST 64u

/* ---- options ---- */

struct request {
	struct {
		double n, p; /* p 0: the most that was traced */
	} at[POINTS_MOST];
	unsigned n;
	bool json, beyond, too_many;
};

/* "n=1000", "n=1000,p=8". */
static bool read_point(const char *text, double *n, double *p)
{
	char rest[256], others[256];

	*p = 0;
	if (strlen(text) >= sizeof(rest) || !params_are(text) ||
	    !params_number(text, PARAMS_SIZE, n))
		return false;
	params_without(text, PARAMS_SIZE, rest);
	params_without(rest, PARAMS_WORKERS, others);
	if (*others)
		return false;
	return !*rest || params_number(text, PARAMS_WORKERS, p);
}

static bool is_point(const char *text)
{
	double n, p;

	return read_point(text, &n, &p);
}

static void take_point(void *context, const char *value)
{
	struct request *request = context;

	if (request->n == POINTS_MOST) {
		request->too_many = true;
		return;
	}
	read_point(value, &request->at[request->n].n, &request->at[request->n].p);
	request->n++;
}

static const struct command_option options[] = {
	{ "at", "n=N,p=P", .is = is_point,
	  .takes = "a size and a number of workers, like n=1000,p=8, or n=1000", .take = take_point,
	  .help = "predict that size on P workers (the most that were traced); may be given "
		  "several times" },
	{ "beyond", INTO(FLAG, beyond),
	  .help = "predict n of any size, also farther than the traces allow: the interval widens "
		  "with the distance" },
	OPTION_JSON(json),
	VARIABLE_PAGER,
	{ 0 },
};

/* ---- what is predicted ---- */

static int predict_all(const struct request *request, const struct training *training,
		       struct err *err)
{
	struct prediction prediction[POINTS_MOST];
	AT_END(predict_free) struct predict predict = { 0 };
	struct predict_output output = { .predict = &predict,
					 .prediction = prediction,
					 .n = request->n,
					 .n_traces = training->n,
					 .width = (int)value_width(LOOK_NARROWEST, LOOK_WIDEST,
								   LOOK_WIDTH) };
	int error = predict_fit(&predict, training->sample, training->n_samples, err);

	if (error)
		return error;
	predict.beyond = request->beyond;
	for (unsigned i = 0; i < request->n && !error; i++) {
		double p = request->at[i].p > 0 ? request->at[i].p : predict.model.p_most;

		error = predict_at(&predict, request->at[i].n, p, &prediction[i], err);
	}
	if (training->origin[0].program[0])
		output.program = training->origin[0].program;
	if (training->origin[0].runtime[0])
		output.runtime = training->origin[0].runtime;
	if (!error)
		(request->json ? predict_json : predict_screen)(stdout, &output);
	return error;
}

static int predict_files(const struct request *request, char **argument, int n)
{
	AT_END(training_free) struct training training = { 0 };
	struct err err = { 0 };
	int error = training_read(&training, argument, n, &err) ?:
		    predict_all(request, &training, &err);

	if (error && (training.inputs.n || !training.inputs.n_bad)) /* else all is said */
		say_fail(&err);
	return error ? 1 : 0;
}

static int run(int argc, char **argv)
{
	struct request request = { .n = 0 };
	struct call call;

	if (!call_open(&call, &cmd_predict, argc, argv, &request))
		return call.status;
	if (request.too_many)
		return say_usage("predict", "more than %u points", POINTS_MOST);
	if (request.n == 0)
		return say_usage("predict", "say what to predict: --at n=..,p=..");
	if (!call.n)
		return say_usage("predict", "name the traces, of several sizes");
	return say_finish(predict_files(&request, call.argument, call.n));
}

const struct command cmd_predict = {
	.name = "predict",
	.run = run,
	.line = "predict the time of larger inputs from small runs",
	.arguments = "--at n=N[,p=P] [OPTIONS] FILE...",
	.about =
		"Predicts the elapsed time of a program from traces of small runs: fits how work,\n"
		"span, tasks, delay and no-work grow with the problem's size n and the workers p,\n"
		"and tests that on the largest of them. A FILE is a trace of `record --param "
		"n=..`,\n"
		"or a directory of such traces.\n",
	.option = options,
	.paged = true,
};
