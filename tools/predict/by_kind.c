/* SPDX-License-Identifier: MIT */
/* by_kind.c - for each of the largest run's kinds the least work of each size, and its law. */
#include "tools/predict/by_kind.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE .01
#define NEARLY_ALL .95

static double work_of(const struct sample *sample, const char *name)
{
	for (unsigned i = 0; i < sample->n_kinds; i++)
		if (strcmp(sample->kind[i].name, name) == 0)
			return sample->kind[i].least_work_ns;
	return 0;
}

/* By size, the least over all numbers of workers, as on one. */
static void fill(const struct kind_runs *runs, const char *name, double *work)
{
	unsigned size = 0;

	for (unsigned i = 0; i < runs->n_samples; i++) {
		const struct sample *sample = &runs->sample[i];
		double ns = work_of(sample, name) / runs->stretch[i];
		bool is_first = i == 0 || sample->n != runs->sample[i - 1].n;

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

static void fit(struct kind_trend *kind, const struct kind_runs *runs, double *work)
{
	struct law_points points = { .n = runs->size,
				     .y = work,
				     .tasks = runs->tasks,
				     .tasks_error = runs->tasks_error,
				     .count = runs->n_sizes };

	fill(runs, kind->name, work);
	kind->known = is_steady(work, runs->n_sizes) && curve_fit(&kind->curve, &points, false) &&
		      !kind->curve.none;
}

static int by_share(const void *a, const void *b)
{
	const struct kind_trend *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return strcmp(x->name, y->name);
}

int kind_trends_fit(struct kind_trends *trends, const struct kind_runs *runs)
{
	const struct sample *largest = &runs->sample[runs->n_samples - 1];
	struct kind_trend *all = calloc(largest->n_kinds + 1ull, sizeof(*all));
	double *work = malloc(runs->n_sizes * sizeof(*work));
	double told = 0;
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
		fit(&all[i], runs, work);
		trends->kind[trends->n++] = all[i];
		told += all[i].known ? all[i].share : 0;
	}
	if (told >= NEARLY_ALL && trends->kind[0].share < NEARLY_ALL)
		trends->sum_of = told;
	free(all);
	free(work);
	return all && work ? 0 : -ENOMEM;
}

double kind_trends_sum(const struct kind_trends *trends, double n, double tasks)
{
	double sum = 0;

	if (!(trends->sum_of > 0))
		return 0;
	for (unsigned k = 0; k < trends->n; k++)
		if (trends->kind[k].known)
			sum += curve_at(&trends->kind[k].curve, n, tasks, NULL, NULL);
	return sum / trends->sum_of;
}
