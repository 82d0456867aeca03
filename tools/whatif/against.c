/* SPDX-License-Identifier: MIT */
/* against.c - reads plain and slowed runs, and judges a prediction by them. */
#include "tools/whatif/against.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/team/inputs.h"
#include "tools/whatif/what_if.h"
#include "tools/base/units.h"
#include "tools/table/json.h"

static int open_slowed(struct experiments *experiments, const char *named, struct err *err)
{
	struct against_side *side = &experiments->slowed[experiments->n++];
	int n, error;
	char **path = inputs_split(named, &n);

	error = against_open(side, path, n, true, err);
	free(path);
	return error ? error : against_check(&experiments->plain, side, err);
}

int experiments_open(struct experiments *experiments, char **plain, int n_plain,
		     const char *const *slowed, uint32_t n, struct err *err)
{
	int error = against_open(&experiments->plain, plain, n_plain, false, err);

	for (uint32_t i = 0; i < n && !error; i++)
		error = open_slowed(experiments, slowed[i], err);
	return error;
}

void experiments_free(struct experiments *experiments)
{
	for (uint32_t i = 0; i < experiments->n; i++)
		against_free(&experiments->slowed[i]);
	against_free(&experiments->plain);
}

const char *const against_verdict_name[] = { "agrees", "disagrees", "too few runs", "too noisy",
					     "nothing slowed" };

/* ---- runs ---- */

/* Which of the side's kinds a kind of the run is; SLOWED_MOST if it is none. */
static uint32_t kind_of(const struct against_side *side, const struct run *run, kind_id kind)
{
	for (uint32_t i = 0; i < side->n_kinds; i++)
		if (what_if_is_kind(run, kind, side->kind[i].name))
			return i;
	return SLOWED_MOST;
}

bool against_has(const struct against_side *slowed, const struct run *run, kind_id kind)
{
	return kind_of(slowed, run, kind) < SLOWED_MOST;
}

static void add_work(struct against_side *side, const struct run *run)
{
	const struct dag *dag = &run->dag;
	uint32_t counter = slowed_counter(reader_defs(run->reader));
	uint32_t *of = xmalloc((dag->n_kinds + 1ull) * sizeof(*of));

	for (kind_id kind = 0; kind < dag->n_kinds; kind++)
		of[kind] = kind_of(side, run, kind);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		uint32_t i = dag_is_node(dag, s) ? SLOWED_MOST : of[dag_kind(dag, s)];

		if (i == SLOWED_MOST)
			continue;
		side->work_ns[i] += dag_work(dag, s);
		if (counter < WIRE_COUNTERS && dag->count[counter])
			side->slowed_ns[i] += dag->count[counter][s];
	}
	free(of);
}

/* What all runs of a side have to be alike in. */
static int check_alike(struct against_side *side, const struct run *run, bool slowed,
		       struct err *err)
{
	const struct defs *defs = reader_defs(run->reader);
	const char *path = reader_facts(run->reader)->path, *exe = defs_meta(defs, "exe");
	char text[SLOWED_TEXT];

	slowed_text(defs, text);
	if (slowed && !text[0])
		return err_set(err, EINVAL, "%s: not slowed; record it with --slow KIND=F", path);
	if (!slowed && text[0])
		return err_set(err, EINVAL, "%s: slowed on purpose (%s); name it after --against",
			       path, text);
	if (run->dag.n_lost || run->dag.n_found)
		return err_set(err, ENODATA,
			       "%s: events are missing, so that nothing can be compared", path);
	if (!side->slowed) {
		side->slowed = xstrdup(text);
		side->program = xstrdup(exe ? exe : "");
		side->n_workers = run->dag.n_workers;
		side->n_kinds = slowed_kinds(defs, side->kind);
	}
	if (strcmp(side->slowed, text) != 0)
		return err_set(err, EINVAL, "%s (%s) and %s (%s) were slowed differently", path,
			       text, side->path[0], side->slowed);
	if (strcmp(side->program, exe ? exe : "") != 0)
		return err_set(err, EINVAL, "%s and %s are traces of different programs", path,
			       side->path[0]);
	if (side->n_workers != run->dag.n_workers)
		return err_set(err, EINVAL, "%s and %s have different numbers of workers", path,
			       side->path[0]);
	return 0;
}

static int add_run(struct against_side *side, const char *path, bool slowed, double *wait,
		   double *all, struct err *err)
{
	struct run run = { 0 };
	int error = run_open(&run, path, NULL, err) ?: check_alike(side, &run, slowed, err);

	if (!error)
		add_work(side, &run);
	if (!error) {
		side->path[side->n] = xstrdup(path);
		side->elapsed_ns[side->n] = run.dag.elapsed_ns;
		side->n += !error;
		*wait += (double)machine_wait_ns(&run.machine, &run.dag);
		*all += (double)run.dag.elapsed_ns * run.dag.n_workers;
	}
	run_close(&run);
	return error;
}

/* Of all runs: the interval, and which is the middle one. */
static void complete(struct against_side *side)
{
	uint64_t *sorted = xmalloc(side->n * sizeof(*sorted));

	memcpy(sorted, side->elapsed_ns, side->n * sizeof(*sorted));
	side->interval = interval_of(sorted, side->n); /* sorts */
	while (side->elapsed_ns[side->middle] != sorted[(side->n - 1) / 2])
		side->middle++;
	free(sorted);
}

int against_open(struct against_side *side, char **argument, int n, bool slowed, struct err *err)
{
	struct inputs inputs = { 0 };
	double wait = 0, all = 0;
	int error = 0;

	inputs_open(&inputs, argument, n);

	if (inputs.n_bad || !inputs.n)
		error = -EINVAL; /* and it was said why */
	if (!error) {
		side->path = xcalloc(inputs.n, sizeof(*side->path));
		side->elapsed_ns = xcalloc(inputs.n, sizeof(*side->elapsed_ns));
	}
	for (uint32_t i = 0; i < inputs.n && !error; i++)
		error = add_run(side, inputs.at[i].path, slowed, &wait, &all, err);
	inputs_free(&inputs);
	side->cpu_wait = all > 0 ? wait / all : 0;
	if (error)
		return error;
	complete(side);
	return 0;
}

void against_free(struct against_side *side)
{
	for (uint32_t i = 0; i < side->n; i++)
		free(side->path[i]);
	free(side->path);
	free(side->elapsed_ns);
	free(side->slowed);
	free(side->program);
	*side = (struct against_side){ 0 };
}

double against_speed(const struct against_side *slowed, uint32_t kind)
{
	double work = (double)slowed->work_ns[kind];

	return work > 0 ? (work - (double)slowed->slowed_ns[kind]) / work : 1;
}

/* ---- the verdict ---- */

static enum against_verdict verdict_of(const struct against *against)
{
	const struct against_effect *measured = &against->measured;
	double low = against->predicted.low - against->own_error;
	double high = against->predicted.high + against->own_error;
	bool any = false;

	for (uint32_t i = 0; i < against->slowed->n_kinds; i++)
		any |= against->slowed->slowed_ns[i] > 0;
	if (!any)
		return AGAINST_NONE;
	if (against->plain->n < AGAINST_LEAST || against->slowed->n < AGAINST_LEAST)
		return AGAINST_FEW;
	if (high < measured->low || low > measured->high)
		return AGAINST_DISAGREES;
	/* no effect at all would agree as well */
	if (measured->low <= 0 && measured->high >= 0 && low > 0)
		return AGAINST_NOISY;
	return AGAINST_AGREES;
}

int against_check(const struct against_side *plain, const struct against_side *slowed,
		  struct err *err)
{
	if (strcmp(plain->program, slowed->program) != 0)
		return err_set(err, EINVAL, "%s and %s are traces of different programs",
			       slowed->path[0], plain->path[0]);
	if (plain->n_workers != slowed->n_workers)
		return err_set(err, EINVAL, "%s and %s have different numbers of workers",
			       slowed->path[0], plain->path[0]);
	return 0;
}

int against_change(struct changes *changes, struct policy *policy, const struct run *run,
		   const struct against_side *slowed, struct err *err)
{
	int error = 0;

	for (uint32_t i = 0; i < slowed->n_kinds && !error; i++) {
		char text[SLOWED_NAME + 32];

		snprintf(text, sizeof(text), "%s=%.9f", slowed->kind[i].name,
			 against_speed(slowed, i));
		error = what_if_add(changes, policy, run, IF_SPEED, text, err);
	}
	return error;
}

void against_judge(struct against *against, const struct point *as_is, const struct point *changed)
{
	const struct against_side *plain = against->plain, *slowed = against->slowed;

	against->predicted = (struct against_effect){
		(double)changed->low_ns / (double)as_is->high_ns - 1,
		(double)changed->outcome.elapsed_ns / (double)as_is->outcome.elapsed_ns - 1,
		(double)changed->high_ns / (double)as_is->low_ns - 1
	};
	against->own_error = fabs(
		(double)as_is->outcome.elapsed_ns / (double)plain->elapsed_ns[plain->middle] - 1);
	against->measured = (struct against_effect){
		(double)slowed->interval.low / (double)plain->interval.high - 1,
		(double)slowed->elapsed_ns[slowed->middle] /
				(double)plain->elapsed_ns[plain->middle] -
			1,
		(double)slowed->interval.high / (double)plain->interval.low - 1
	};
	against->verdict = verdict_of(against);
}

/* ---- as text and JSON ---- */

#define WAIT_TOLD 0.02 /* share of elapsed x workers that workers waited for a CPU */

static void put_side(FILE *out, const char *name, const struct against_side *side)
{
	fprintf(out, "  %-10s %4u %s  %9s   %s .. %s\n", name, side->n,
		side->n == 1 ? "run " : "runs", TIME_TEXT(side->elapsed_ns[side->middle]),
		TIME_TEXT(side->interval.low), TIME_TEXT(side->interval.high));
}

static void put_effect(FILE *out, const char *name, const struct against_effect *effect,
		       const char *how)
{
	fprintf(out, "  %-10s %+8.2f %%   %+.2f .. %+.2f %%%s\n", name, 100 * effect->middle,
		100 * effect->low, 100 * effect->high, how);
}

static void put_verdict(FILE *out, const struct against *against)
{
	switch (against->verdict) {
	case AGAINST_AGREES:
		fputs("agrees: the experiment bears out what simulate says of these kinds\n", out);
		break;
	case AGAINST_DISAGREES:
		fputs("DISAGREES: do not believe what simulate and --what-if say of these kinds\n",
		      out);
		break;
	case AGAINST_FEW:
		fprintf(out,
			"not decided: noise is unknown with fewer than %u runs of each; record "
			"both with --repeat 5\n",
			AGAINST_LEAST);
		break;
	case AGAINST_NOISY:
		fputs("not decided: runs differ by more than the effect; slow by a larger factor, "
		      "or record more runs\n",
		      out);
		break;
	case AGAINST_NONE:
		fputs("not decided: nothing was slowed; no task of these kinds ran\n", out);
		break;
	}
}

void against_screen(FILE *out, const struct against *against)
{
	const struct against_side *plain = against->plain, *slowed = against->slowed;

	fprintf(out, "%s, %u worker%s, slowed on purpose\n", slowed->program, slowed->n_workers,
		units_s(slowed->n_workers));
	for (uint32_t i = 0; i < slowed->n_kinds; i++) {
		fprintf(out, "  %s: x%g asked, x%.3f reached (%s of %s)\n", slowed->kind[i].name,
			slowed->kind[i].factor, 1 / against_speed(slowed, i),
			TIME_TEXT(slowed->slowed_ns[i]), TIME_TEXT(slowed->work_ns[i]));
	}
	fputs("\nelapsed time\n", out);
	put_side(out, "plain", plain);
	put_side(out, "slowed", slowed);
	put_effect(out, "measured", &against->measured, "");
	put_effect(out, "predicted", &against->predicted, "");
	fprintf(out, "  the simulation of the plain run is within %.2f %% of it\n",
		100 * against->own_error);
	if (plain->cpu_wait > WAIT_TOLD || slowed->cpu_wait > WAIT_TOLD)
		fprintf(out,
			"  workers waited for CPUs: %.0f %% of plain, %.0f %% of slowed runs; use "
			"a quiet machine\n",
			100 * plain->cpu_wait, 100 * slowed->cpu_wait);
	fputc('\n', out);
	put_verdict(out, against);
}

/* ---- JSON ---- */

static void put_json_side(struct json *to, const char *name, const struct against_side *side)
{
	json_open(to, name, '{');
	JSON_NUMBERS(to, { "runs", side->n }, { "elapsed_ns", side->elapsed_ns[side->middle] },
		     { "low_ns", side->interval.low }, { "high_ns", side->interval.high });
	json_real(to, "cpu_wait", "%.6f", side->cpu_wait);
	json_close(to, '}');
}

static void put_json_effect(struct json *to, const char *name, const struct against_effect *effect)
{
	json_open(to, name, '{');
	JSON_REALS(to, "%.6f", { "low", effect->low }, { "middle", effect->middle },
		   { "high", effect->high });
	json_close(to, '}');
}

void against_json(FILE *out, const struct against *against)
{
	const struct against_side *slowed = against->slowed;
	struct json json, *to = &json;

	json_begin(to, out);
	json_number(to, "workers", slowed->n_workers);
	json_open(to, "kinds", '[');
	for (uint32_t i = 0; i < slowed->n_kinds; i++) {
		json_open(to, NULL, '{');
		json_text(to, "kind", slowed->kind[i].name);
		json_real(to, "asked", "%g", slowed->kind[i].factor);
		json_real(to, "reached", "%.6f", 1 / against_speed(slowed, i));
		JSON_NUMBERS(to, { "work_ns", slowed->work_ns[i] },
			     { "slowed_ns", slowed->slowed_ns[i] });
		json_close(to, '}');
	}
	json_close(to, ']');
	put_json_side(to, "plain", against->plain);
	put_json_side(to, "slowed", slowed);
	put_json_effect(to, "measured", &against->measured);
	put_json_effect(to, "predicted", &against->predicted);
	json_real(to, "own_error", "%.6f", against->own_error);
	json_text(to, "verdict", against_verdict_name[against->verdict]);
	json_end(to);
}
