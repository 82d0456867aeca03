/* SPDX-License-Identifier: MIT */
/* sample.c - breakdown, counts, span and shape of a run. */
#include "tools/predict/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/potential.h"
#include "tools/analysis/span.h"
#include "tools/base/xalloc.h"

/*
 * For how long a run could keep how many workers busy, and the same of a larger run.
 *
 * From a trace: potential.h.  A larger run of the same program has another work T1 and span
 * T-infinity, which are known, and a like shape.  So the shape is stretched until both fit: all
 * lengths L times T-infinity' / T-infinity, and all widths k
 *
 *	times a factor:		of a program whose parts all widen
 *	to a power, k^g:	of one with serial parts, which stay at 1
 *
 * Then T(p) = sum of L max(1, k / p), and the workers that nothing is ready for cost
 * p T(p) - T1.  That is at most (p - 1) T-infinity, as for any greedy schedule [Graham 1969]
 */

#define PER_OCTAVE 64.

const char *const widths_way_name[WIDTHS_WAYS] = { "every width times a factor",
						   "every width to a power, serial parts stay" };

void widths_make(struct widths *widths, const struct width *at, unsigned n)
{
	widths->n = n;
	widths->at = xmalloc((n + 1) * sizeof(*at));
	if (n)
		memcpy(widths->at, at, n * sizeof(*at));
}

/* Adds up steps less than 1.1 % apart, so that at most WIDTHS_STEPS are left. */
static void widths_of(struct widths *widths, const struct potential *potential)
{
	struct width *at = xmalloc(WIDTHS_STEPS * sizeof(*at));
	double bin = -1;

	*widths = (struct widths){ .at = at };
	for (uint32_t i = 0; i < potential->n; i++) {
		const struct potential_step *step = &potential->step[i];
		double k = step->ns > 0 ? fmax(1, step->area / step->ns) : 1;

		if (!(step->ns > 0))
			continue;
		if (widths->n &&
		    (floor(log2(k) * PER_OCTAVE) == bin || widths->n == WIDTHS_STEPS)) {
			struct width *last = &at[widths->n - 1];

			last->k = (last->k * last->ns + k * step->ns) / (last->ns + step->ns);
			last->ns += step->ns;
			continue;
		}
		bin = floor(log2(k) * PER_OCTAVE);
		at[widths->n++] = (struct width){ k, step->ns };
	}
}

void widths_free(struct widths *widths)
{
	free(widths->at);
	*widths = (struct widths){ 0 };
}

static double area(const struct widths *widths, double power)
{
	double sum = 0;

	for (unsigned i = 0; i < widths->n; i++)
		sum += widths->at[i].ns * pow(widths->at[i].k, power);
	return sum;
}

double widths_work(const struct widths *widths)
{
	return area(widths, 1);
}

double widths_span(const struct widths *widths)
{
	return area(widths, 0);
}

#define POWER_MOST 64.

/* The power that makes the mean width what it has to be; it grows with the power. */
static double power_for(const struct widths *widths, double mean)
{
	double low = 0, high = 1, span = widths_span(widths);

	while (high < POWER_MOST && area(widths, high) < mean * span)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (area(widths, middle) < mean * span)
			low = middle;
		else
			high = middle;
	}
	return low;
}

double widths_elapsed(const struct widths *widths, enum widths_way way, double work_ns,
		      double span_ns, double p)
{
	double span = widths_span(widths), factor, power = 1, sum = 0;

	if (!(span > 0) || !(span_ns > 0) || !(work_ns > span_ns))
		return fmax(work_ns / p, span_ns);
	if (way == WIDTHS_POWER && widths->at[widths->n - 1].k > 1.01)
		power = power_for(widths, work_ns / span_ns);
	factor = work_ns / span_ns / (area(widths, power) / span);
	for (unsigned i = 0; i < widths->n; i++)
		sum += widths->at[i].ns * fmax(1, factor * pow(widths->at[i].k, power) / p);
	return fmax(sum * span_ns / span, work_ns / p);
}

/* Barriers of teams are left out: each worker has its own. */
static bool is_for_tasks(const struct dag *dag, strand_id s)
{
	const struct dag_wait *wait = dag_wait_of(dag, s);

	if (!wait || (dag->how[s] & STRAND_ENDED_BY) != WIRE_WAIT)
		return false;
	return wait->what == WIRE_WAIT_CHILDREN || wait->what == WIRE_WAIT_GROUP ||
	       wait->what == WIRE_WAIT_DEPEND || wait->what == WIRE_WAIT_NAMED ||
	       wait->what == WIRE_WAIT_BAG;
}

static void count(struct sample *sample, const struct dag *dag)
{
	uint64_t n_tasks = 0, n_waits = dag->n_collapsed_waits;

	for (task_id t = 0; t < dag->n_tasks; t++)
		n_tasks += dag->kind_what[dag->task_kind[t]] == KIND_TASK;
	for (kind_id kind = 0; kind < dag->n_kinds; kind++)
		if (dag->kind_collapsed[kind] && dag->kind_what[kind] == KIND_TASK)
			n_tasks += dag->kind_collapsed[kind]->n_tasks;
	for (strand_id s = 0; s < dag->n_strands; s++)
		n_waits += is_for_tasks(dag, s);
	sample->tasks = (double)n_tasks;
	sample->waits = (double)n_waits;
}

static void keep_kinds(struct sample *sample, const struct dag *dag, const struct charge *charge)
{
	sample->kind = xcalloc(dag->n_kinds + 1ull, sizeof(*sample->kind));
	sample->n_kinds = dag->n_kinds;
	for (kind_id kind = 0; kind < dag->n_kinds; kind++)
		sample->kind[kind].work_ns = sample->kind[kind].least_work_ns =
			(double)charge[kind].work_ns;
}

static void break_down(struct sample *sample, const struct dag *dag)
{
	struct breakdown breakdown = { 0 };

	breakdown_whole(&breakdown, dag);

	sample->work_ns = (double)breakdown.total.work_ns;
	sample->delay_ns = (double)breakdown.total.delay_ns;
	sample->sched_ns = (double)breakdown.total.no_work_sched_ns;
	sample->app_ns = (double)breakdown.total.no_work_app_ns;
	keep_kinds(sample, dag, breakdown.kind);
	breakdown_free(&breakdown);
}

void sample_of(struct sample *sample, const struct dag *dag)
{
	struct potential potential = { 0 };
	uint64_t span_ns;

	break_down(sample, dag);
	span_of(dag, NULL, &span_ns);
	potential_find(&potential, dag, NULL);
	widths_of(&sample->widths, &potential);

	potential_free(&potential);
	sample->p = dag->n_workers;
	sample->elapsed_ns = sample->recorded_ns = (double)dag->elapsed_ns;
	sample->span_ns = sample->least_span_ns = (double)span_ns;
	sample->least_work_ns = sample->work_ns;
	count(sample, dag);
}

#define LEAST_LEFT .05

double sample_wait_share(const struct sample *sample)
{
	double all = sample->recorded_ns * sample->p;

	return all > 0 ? sample->cpu_wait_ns / all : 0;
}

void sample_without_waits(struct sample *sample)
{
	double all = sample->elapsed_ns * sample->p;
	double busy = sample->p == 1 ? all : sample->work_ns + sample->delay_ns;
	double left = busy > 0 ? 1 - sample->cpu_wait_ns / busy : 1;
	double *time[] = { &sample->elapsed_ns,	   &sample->work_ns,	  &sample->delay_ns,
			   &sample->sched_ns,	   &sample->app_ns,	  &sample->span_ns,
			   &sample->least_work_ns, &sample->least_span_ns };

	left = left < LEAST_LEFT ? LEAST_LEFT : left;
	for (size_t i = 0; i < sizeof(time) / sizeof(time[0]); i++)
		*time[i] *= left;
	for (unsigned i = 0; i < sample->n_kinds; i++) {
		sample->kind[i].work_ns *= left;
		sample->kind[i].least_work_ns *= left;
	}
	for (unsigned i = 0; i < sample->widths.n; i++)
		sample->widths.at[i].ns *= left;
}

ORDER(by_name, struct sample_kind,
      x->name && y->name ? strcmp(x->name, y->name) : !x->name - !y->name)

void sample_merge_kinds(struct sample *sample)
{
	unsigned n = 0;

	SORT(sample->kind, sample->n_kinds, by_name);
	for (unsigned i = 0; i < sample->n_kinds; i++) {
		struct sample_kind *kind = &sample->kind[i];

		if (!kind->name)
			continue;
		if (n == 0 || strcmp(sample->kind[n - 1].name, kind->name) != 0) {
			sample->kind[n++] = *kind;
			continue;
		}
		sample->kind[n - 1].work_ns += kind->work_ns;
		sample->kind[n - 1].least_work_ns += kind->least_work_ns;
		free(kind->name);
	}
	sample->n_kinds = n;
}

void sample_free(struct sample *sample)
{
	for (unsigned i = 0; i < sample->n_kinds; i++)
		free(sample->kind[i].name);
	free(sample->kind);
	widths_free(&sample->widths);
	*sample = (struct sample){ 0 };
}
