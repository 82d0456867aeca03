/* SPDX-License-Identifier: MIT */
/* cmd_predict.c - tptrace predict: how long with another problem size and number of workers. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd/cmd.h"
#include "tools/cmd/command.h"
#include "tools/cmd/inputs.h"
#include "tools/cmd/params.h"
#include "tools/predict/predict.h"
#include "tools/report/places.h"
#include "tools/report/rows.h"
#include "tools/run/run.h"
#include "tools/run/slowed.h"

#define POINTS_MOST 64u
#define SIZE_KEY "n"
#define WORKERS_KEY "p"

/* ---- one trace ---- */

struct origin {
	char *param; /* as recorded */
	char *program, *runtime;
};

struct training {
	struct sample *sample; /* n_samples */
	struct origin *origin; /* n, in the order of the files */
	unsigned n_samples, n;
};

/* The runtime that was given the most tasks; NULL. */
static const char *main_runtime(const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	uint32_t best = 0;

	for (uint32_t r = 1; r < run->dag.n_runtimes; r++)
		if (run->dag.runtime[r].n_tasks > run->dag.runtime[best].n_tasks)
			best = r;
	return run->dag.n_runtimes && best < defs->n_runtimes ? defs->runtime[best].name : NULL;
}

static int refuse_virtual(const struct run *run, const char *path, struct err *err)
{
	if (!defs_meta(reader_defs(run->reader), "virtual"))
		return 0;
	return err_set(err, EINVAL, "%s: of virtual time; a model is of runs without --virtual",
		       path);
}

static int refuse_slowed(const struct run *run, const char *path, struct err *err)
{
	char slowed[SLOWED_TEXT];

	if (!slowed_text(reader_defs(run->reader), slowed)[0])
		return 0;
	return err_set(err, EINVAL, "%s: slowed on purpose (%s); a model is of runs without --slow",
		       path, slowed);
}

static int refuse_losses(const struct run *run, const char *path, struct err *err)
{
	const struct reader_facts *facts = reader_facts(run->reader);
	const struct defs *defs = reader_defs(run->reader);

	if (run->dag.n_lost || run->dag.n_found)
		return err_set(err, ENODATA,
			       "%s: %llu events are missing, and a model needs whole runs; record "
			       "it with a larger --buffer, or TPTRACE_OVERFLOW=flush",
			       path, (unsigned long long)run->dag.n_lost);
	for (uint32_t i = 0; i < defs->n_marks; i++)
		if (defs->mark[i].what == DEFS_MARK_STOP)
			return err_set(err, ENODATA,
				       "%s: recording was stopped meanwhile, and a model needs "
				       "whole runs; record it without a stop",
				       path);
	if (facts->missing[0])
		return err_set(err, ENODATA, "%s: %s, and a model needs whole runs", path,
			       facts->missing);
	return 0;
}

/* Takes n from what was recorded, and p from there if it says so. */
static int read_params(struct sample *sample, const char *param, struct err *err)
{
	char said[64];
	double p;

	if (!param || !params_find(param, SIZE_KEY, said, sizeof(said)))
		return err_set(err, ENODATA, "%s: does not say its n; record it with --param n=..",
			       sample->path);
	if (!params_number(param, SIZE_KEY, &sample->n))
		return err_set(err, EINVAL, "%s: n=%s is no number above 0", sample->path, said);
	if (params_find(param, WORKERS_KEY, said, sizeof(said)) &&
	    (!params_number(param, WORKERS_KEY, &p) || p != sample->p))
		return err_set(err, EINVAL, "%s: says p=%s, and ran on %u worker%s", sample->path,
			       said, sample->p, sample->p == 1 ? "" : "s");
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static int keep_origin(struct origin *origin, const struct run *run, struct err *err)
{
	const struct defs *defs = reader_defs(run->reader);
	const char *from[] = { defs_meta(defs, "param"), base_name(defs_meta(defs, "exe")),
			       main_runtime(run) };
	char **to[] = { &origin->param, &origin->program, &origin->runtime };

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++) {
		*to[i] = strdup(from[i] ? from[i] : "");
		if (!*to[i])
			return err_set(err, ENOMEM, "out of memory");
	}
	return 0;
}

/* The code's function and place, which is one name in all runs; "main" for the roots. */
static char *name_of(const struct run *run, kind_id kind)
{
	site_id site = run->dag.kind_site[kind];
	const struct name *code = site < run->sites.n ? &run->sites.site[site].code : NULL;
	struct place place = { .name = "main" };
	char text[256];

	if (code && code->function)
		place = (struct place){ code->function, code->file, code->line, 0, NULL, 0 };
	else if (site != SITE_NONE)
		place = rows_site(run, site);
	if (place.file)
		snprintf(text, sizeof(text), "%s %s:%u", place.name ? place.name : "?",
			 place_base(place.file), place.line);
	else
		snprintf(text, sizeof(text), "%s", place.name ? place.name : "?");
	return strdup(text);
}

static int name_kinds(struct sample *sample, const struct run *run, struct err *err)
{
	for (kind_id kind = 0; kind < run->dag.n_kinds; kind++) {
		sample->kind[kind].name = name_of(run, kind);
		if (!sample->kind[kind].name)
			return err_set(err, ENOMEM, "out of memory");
	}
	sample_merge_kinds(sample);
	return 0;
}

static int read_trace(struct training *training, const char *path, struct err *err)
{
	struct phases_wanted all = { .to_ns = UINT64_MAX };
	struct sample *sample = &training->sample[training->n_samples];
	struct origin *origin = &training->origin[training->n];
	struct run run = { 0 };
	int error = run_open(&run, path, &all, err);

	if (error)
		return error;
	training->n++;
	training->n_samples++;
	sample->path = path;
	sample->p = run.dag.n_workers;
	error = refuse_slowed(&run, path, err);
	if (!error)
		error = refuse_virtual(&run, path, err);
	if (!error)
		error = keep_origin(origin, &run, err);
	if (!error)
		error = read_params(sample, origin->param, err);
	if (!error)
		error = refuse_losses(&run, path, err);
	if (!error && sample_of(sample, &run.dag) < 0)
		error = err_set(err, ENOMEM, "out of memory");
	if (!error)
		error = name_kinds(sample, &run, err);
	if (!error) {
		sample->cpu_wait_ns = (double)machine_wait_least_ns(&run.machine, &run.dag);
		sample_without_waits(sample);
	}
	run_close(&run);
	return error;
}

/* ---- all traces ---- */

/* What two traces say of something that has to be the same in all. */
static int refuse_other(const struct inputs *inputs, unsigned i, const char *what,
			const char *first, const char *other, struct err *err)
{
	if (strcmp(first, other) == 0)
		return 0;
	return err_set(err, EINVAL, "%s: %s is `%s`, and `%s` in %s; predict from one at a time",
		       inputs->at[i].path, what, other, first, inputs->at[0].path);
}

/* The parameters besides n and p. */
static char *others_of(const char *param)
{
	char *some = malloc(strlen(param) + 1), *out = malloc(strlen(param) + 1);

	if (some && out) {
		params_without(param, SIZE_KEY, some);
		params_without(some, WORKERS_KEY, out);
	}
	free(some);
	return out;
}

static int refuse_mixture(const struct training *training, const struct inputs *inputs,
			  struct err *err)
{
	char *first = training->n ? others_of(training->origin[0].param) : NULL;
	int error = 0;

	for (unsigned i = 1; i < training->n && !error; i++) {
		const struct origin *a = &training->origin[0], *b = &training->origin[i];
		char *others = others_of(b->param);

		if (!first || !others)
			error = err_set(err, ENOMEM, "out of memory");
		if (!error)
			error = refuse_other(inputs, i, "the program", a->program, b->program, err);
		if (!error)
			error = refuse_other(inputs, i, "the runtime", a->runtime, b->runtime, err);
		if (!error)
			error = refuse_other(inputs, i, "--param besides n", first, others, err);
		free(others);
	}
	free(first);
	return error;
}

static int read_traces(struct training *training, const struct inputs *inputs, struct err *err)
{
	int error = 0;

	training->sample = calloc(inputs->n + 1, sizeof(*training->sample));
	training->origin = calloc(inputs->n + 1, sizeof(*training->origin));
	if (!training->sample || !training->origin)
		return err_set(err, ENOMEM, "out of memory");
	for (uint32_t i = 0; i < inputs->n && !error; i++)
		error = read_trace(training, inputs->at[i].path, err);
	if (!error)
		error = refuse_mixture(training, inputs, err);
	return error ? error : predict_choose(training->sample, &training->n_samples, err);
}

static void free_traces(struct training *training)
{
	for (unsigned i = 0; i < training->n_samples; i++)
		sample_free(&training->sample[i]);
	for (unsigned i = 0; i < training->n; i++) {
		free(training->origin[i].param);
		free(training->origin[i].program);
		free(training->origin[i].runtime);
	}
	free(training->sample);
	free(training->origin);
}

/* ---- options ---- */

struct request {
	struct {
		double n, p; /* p 0: the most that was traced */
	} at[POINTS_MOST];
	unsigned n;
	bool json, too_many;
};

/* "n=1000", "n=1000,p=8". */
static bool read_point(const char *text, double *n, double *p)
{
	char rest[256], others[256];

	*p = 0;
	if (strlen(text) >= sizeof(rest) || !params_are(text) || !params_number(text, SIZE_KEY, n))
		return false;
	params_without(text, SIZE_KEY, rest);
	params_without(rest, WORKERS_KEY, others);
	if (*others)
		return false;
	return !*rest || (params_number(text, WORKERS_KEY, p) && *p == floor(*p));
}

static bool is_point(const char *text)
{
	double n, p;

	return read_point(text, &n, &p);
}

enum { AT, JSON };

static const struct command_option options[] = {
	[AT] = { .name = "at",
		 .value = "n=N,p=P",
		 .is = is_point,
		 .takes = "a size and a number of workers, like n=1000,p=8, or n=1000",
		 .help = "predict that size on P workers (the most that were traced); may be given "
			 "several times" },
	[JSON] = { .name = "json", .help = "print all figures as one line of JSON" },
	{ 0 },
};

static void add_point(struct request *request, const char *value)
{
	if (request->n == POINTS_MOST) {
		request->too_many = true;
		return;
	}
	read_point(value, &request->at[request->n].n, &request->at[request->n].p);
	request->n++;
}

/* ---- what is predicted ---- */

static int predict_all(const struct request *request, const struct training *training,
		       struct err *err)
{
	struct prediction prediction[POINTS_MOST];
	struct predict predict;
	struct predict_output output = { .predict = &predict,
					 .prediction = prediction,
					 .n = request->n,
					 .n_traces = training->n };
	int error = predict_fit(&predict, training->sample, training->n_samples, err);

	if (error)
		return error;
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
	predict_free(&predict);
	return error;
}

static int predict_files(const struct request *request, char **argument, int n)
{
	struct inputs inputs = { 0 };
	struct training training = { 0 };
	struct err err = { 0 };
	int error;

	if (inputs_open(&inputs, argument, n) < 0)
		error = err_set(&err, ENOMEM, "out of memory");
	else if (inputs.n_bad)
		error = err_set(&err, EINVAL, "%u of the traces cannot be read", inputs.n_bad);
	else
		error = read_traces(&training, &inputs, &err);
	if (!error)
		error = predict_all(request, &training, &err);
	free_traces(&training);
	inputs_free(&inputs);
	return error ? cmd_fail(&err) : 0;
}

static int run(int argc, char **argv)
{
	struct request request = { .n = 0 };
	struct call call = call_open(&cmd_predict, argc, argv);
	int option;

	while ((option = call_next(&call)) >= 0)
		if (option == AT)
			add_point(&request, call.value);
		else
			request.json = true;
	if (option == CALL_OVER)
		return call.status;
	if (request.too_many)
		return cmd_usage("predict", "more than %u points", POINTS_MOST);
	if (request.n == 0)
		return cmd_usage("predict", "say what to predict: --at n=..,p=..");
	if (optind == argc)
		return cmd_usage("predict", "name the traces, of several sizes");
	return cmd_finish(predict_files(&request, argv + optind, argc - optind));
}

const struct command cmd_predict = {
	.name = "predict",
	.run = run,
	.line = "say how long it takes with another problem size and number of workers",
	.arguments = "--at n=N[,p=P] [OPTIONS] FILE...",
	.about =
		"Predicts the elapsed time of a program from traces of small runs: fits how work,\n"
		"span, tasks, delay and no-work grow with the problem's size n and the workers p,\n"
		"and tests that on the largest of them. A FILE is a trace of `record --param "
		"n=..`,\n"
		"or a folder of such.\n",
	.option = options,
};
