/* SPDX-License-Identifier: MIT */
/* training.c - reads the traces that a model is fitted to, and refuses those that do not fit. */
#include "tools/whatif/training.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/whatif/params.h"
#include "tools/whatif/simulable.h"
#include "tools/whatif/what_if.h"
#include "tools/table/places.h"
#include "tools/summary/rows.h"
#include "tools/run/run.h"
#include "tools/run/slowed.h"
#include "tools/base/base_name.h"

/* ---- one trace ---- */

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
	int error = simulable_whole(run, "a model", err);

	if (error)
		return error;
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

	if (!param || !params_find(param, PARAMS_SIZE, said, sizeof(said)))
		return err_set(err, ENODATA, "%s: does not say its n; record it with --param n=..",
			       sample->path);
	if (!params_number(param, PARAMS_SIZE, &sample->n))
		return err_set(err, EINVAL, "%s: invalid size n=%s: it must be above 0",
			       sample->path, said);
	if (params_find(param, PARAMS_WORKERS, said, sizeof(said)) &&
	    (!params_number(param, PARAMS_WORKERS, &p) || p != sample->p))
		return err_set(err, EINVAL, "%s: says p=%s, and ran on %u worker%s", sample->path,
			       said, sample->p, sample->p == 1 ? "" : "s");
	return 0;
}

static void keep_origin(struct training_origin *origin, const struct run *run)
{
	const struct defs *defs = reader_defs(run->reader);
	const char *from[] = { defs_meta(defs, "param"), path_base(defs_meta(defs, "exe")),
			       simulable_runtime(run) };
	char **to[] = { &origin->param, &origin->program, &origin->runtime };

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		*to[i] = xstrdup(from[i] ? from[i] : "");
}

/* The code's function and place, which is one name in all runs; "main" for the roots. */
static char *name_of(const struct run *run, kind_id kind)
{
	struct place place = what_if_place(run, kind);
	char text[256];

	if (place.file)
		snprintf(text, sizeof(text), "%s %s:%u", place.name ? place.name : "?",
			 path_base(place.file), place.line);
	else
		snprintf(text, sizeof(text), "%s", place.name ? place.name : "?");
	return xstrdup(text);
}

static void name_kinds(struct sample *sample, const struct run *run)
{
	for (kind_id kind = 0; kind < run->dag.n_kinds; kind++)
		sample->kind[kind].name = name_of(run, kind);
	sample_merge_kinds(sample);
}

static int read_trace(struct training *training, const char *path, struct err *err)
{
	struct sample *sample = &training->sample[training->n_samples];
	struct training_origin *origin = &training->origin[training->n];
	struct run run = { 0 };
	int error = run_open(&run, path, NULL, err);

	if (error)
		return error;
	training->n++;
	training->n_samples++;
	sample->path = path;
	sample->p = run.dag.n_workers;
	error = refuse_slowed(&run, path, err) ?: refuse_virtual(&run, path, err);
	if (!error) {
		keep_origin(origin, &run);
		error = read_params(sample, origin->param, err);
	}
	origin->path = path;
	origin->n = sample->n;
	if (!error)
		error = refuse_losses(&run, path, err);
	if (!error)
		sample_of(sample, &run.dag);
	if (!error)
		name_kinds(sample, &run);
	if (!error) {
		sample->cpu_wait_ns = (double)machine_wait_least_ns(&run.machine, &run.dag);
		sample_without_waits(sample);
	}
	run_close(&run);
	return error;
}

/* ---- all traces ---- */

/* What two traces say of something that has to be the same in all. */
static int refuse_unlike(const struct training_origin *a, const struct training_origin *b,
			 const char *what, const char *of_a, const char *of_b, struct err *err)
{
	if (strcmp(of_a, of_b) == 0)
		return 0;
	return err_set(err, EINVAL, "%s: %s is `%s`, and `%s` in %s; predict from one at a time",
		       b->path, what, of_b, of_a, a->path);
}

/* The parameters besides n and p. */
static char *others_of(const char *param)
{
	char *some = xmalloc(strlen(param) + 1), *out = xmalloc(strlen(param) + 1);

	params_without(param, PARAMS_SIZE, some);
	params_without(some, PARAMS_WORKERS, out);
	free(some);
	return out;
}

static int refuse_pair(const struct training_origin *a, const struct training_origin *b,
		       struct err *err)
{
	char *of_a = others_of(a->param), *of_b = others_of(b->param);
	int error;

	error = refuse_unlike(a, b, "the program", a->program, b->program, err) ?:
			refuse_unlike(a, b, "the runtime", a->runtime, b->runtime, err) ?:
			refuse_unlike(a, b, "--param besides n", of_a, of_b, err);
	free(of_a);
	free(of_b);
	return error;
}

static void free_origin(struct training_origin *origin)
{
	free(origin->param);
	free(origin->program);
	free(origin->runtime);
}

int training_refuse_other(const struct training *training, const struct run *run, struct err *err)
{
	struct training_origin origin = { .path = reader_facts(run->reader)->path };
	int error = 0;

	keep_origin(&origin, run);

	if (training->n)
		error = refuse_pair(&training->origin[0], &origin, err);
	free_origin(&origin);
	return error;
}

int training_read(struct training *training, char **argument, int n, struct err *err)
{
	const struct inputs *inputs = &training->inputs;
	int error = 0;

	*training = (struct training){ 0 };
	inputs_open(&training->inputs, argument, n);
	if (inputs->n_bad)
		return err_set(err, EINVAL,
			       "%u of the traces %s invalid, so nothing is predicted; name the "
			       "others alone",
			       inputs->n_bad, inputs->n_bad == 1 ? "is" : "are");
	training->sample = xcalloc(inputs->n + 1, sizeof(*training->sample));
	training->origin = xcalloc(inputs->n + 1, sizeof(*training->origin));
	for (uint32_t i = 0; i < inputs->n && !error; i++)
		error = read_trace(training, inputs->at[i].path, err);
	for (unsigned i = 1; i < training->n && !error; i++)
		error = refuse_pair(&training->origin[0], &training->origin[i], err);
	return error ? error : predict_choose(training->sample, &training->n_samples, err);
}

void training_free(struct training *training)
{
	for (unsigned i = 0; i < training->n_samples; i++)
		sample_free(&training->sample[i]);
	for (unsigned i = 0; i < training->n; i++)
		free_origin(&training->origin[i]);
	free(training->sample);
	free(training->origin);
	inputs_free(&training->inputs);
	*training = (struct training){ 0 };
}
