/* SPDX-License-Identifier: MIT */
/* by_kind.c - for each of the largest run's kinds the least work of each size, and its law. */
#include "tools/predict/by_kind.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE .01

/* How much more work p workers do than one. */
static double stretch(const struct trend *model, double n, double p)
{
	return trend_at(model, n, p, NULL, NULL).work_ns /
	       trend_at(model, n, 1, NULL, NULL).work_ns;
}

static double work_of(const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < sample->n_kinds; i++)
		if (strcmp(sample->kind[i].name, name) == 0)
			return sample->kind[i].least_work_ns;
	return 0;
}

/* By size, the least over all numbers of workers, as on one. */
static void fill(const struct trend *model, const char *name, double *work)
{
	unsigned size = 0;

	for (unsigned i = 0; i < model->n_samples; i++) {
		const struct sample *sample = &model->sample[i];
		double ns = work_of(sample, name) / stretch(model, sample->n, sample->p);
		bool is_first = i == 0 || sample->n != model->sample[i - 1].n;

		size += i > 0 && is_first;
		work[size] = is_first ? ns : fmin(work[size], ns);
	}
}

/* Whether it is there from some size on. */
static bool is_steady(const double *work, unsigned n)
{
	while (n > 0 && work[n - 1] > 0)
		n--;
	while (n > 0 && work[n - 1] <= 0)
		n--;
	return n == 0;
}

static void fit(struct kind_trend *kind, const struct trend *model, double *work)
{
	struct law_points points = { .n = model->size, .y = work, .count = model->n_sizes };

	fill(model, kind->name, work);
	if (model->tasks_same) {
		points.tasks = model->figure[CURVE_TASKS];
		points.tasks_error = model->curve[CURVE_TASKS].best[0].held_out;
	}
	kind->known = is_steady(work, model->n_sizes) && curve_fit(&kind->curve, &points, false) &&
		      !kind->curve.none;
}

static int by_share(const void *a, const void *b)
{
	const struct kind_trend *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return strcmp(x->name, y->name);
}

int kind_trends_fit(struct kind_trends *trends, const struct trend *model)
{
	const struct sample *largest = &model->sample[model->n_samples - 1];
	struct kind_trend *all = calloc(largest->n_kinds + 1ull, sizeof(*all));
	double *work = malloc(model->n_sizes * sizeof(*work));
	unsigned n = 0;

	*trends = (struct kind_trends){ 0 };
	for (unsigned i = 0; all && i < largest->n_kinds; i++) {
		double share = largest->kind[i].work_ns / largest->work_ns;

		if (share >= LEAST_SHARE)
			all[n++] = (struct kind_trend){ .name = largest->kind[i].name,
							.share = share };
	}
	if (all)
		qsort(all, n, sizeof(*all), by_share);
	for (unsigned i = 0; all && work && i < n && i < KINDS_TOLD; i++) {
		fit(&all[i], model, work);
		trends->kind[trends->n++] = all[i];
	}
	free(all);
	free(work);
	return all && work ? 0 : -ENOMEM;
}

double kind_trend_at(const struct kind_trend *kind, const struct trend *model, double n, double p)
{
	double tasks = curve_at(&model->curve[CURVE_TASKS], n, 0, NULL, NULL);

	if (!kind->known)
		return 0;
	return curve_at(&kind->curve, n, tasks, NULL, NULL) * stretch(model, n, p);
}
