/* SPDX-License-Identifier: MIT */
/* forecast.c - makes the rows of a forecast. */
#include "tools/model/forecast.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/analysis/least.h"
#include "tools/base/xalloc.h"
#include "tools/base/order.h"

/* ---- points: threads that take runs from a list until it is empty ---- */

#define THREADS_MOST 64u

struct job {
	const struct points_wanted *wanted;
	const struct simulation *simulation;
	struct outcome *outcome; /* n * n_runs */
	_Atomic uint32_t next;	 /* to be run */
	_Atomic bool failed;
	pthread_mutex_t mutex; /* of err */
	struct err *err;
};

static void run_one(struct job *job, uint32_t i)
{
	struct simulation simulation = *job->simulation;
	struct err err = { 0 };

	simulation.n_workers = job->wanted->workers[i / job->wanted->n_runs];
	simulation.seed = job->wanted->seed + i % job->wanted->n_runs;
	if (simulate(&simulation, &job->outcome[i], NULL, &err) == 0)
		return;
	pthread_mutex_lock(&job->mutex);
	if (!job->failed)
		*job->err = err;
	job->failed = true;
	pthread_mutex_unlock(&job->mutex);
}

static void *run_all(void *of)
{
	struct job *job = of;
	uint32_t n = job->wanted->n * job->wanted->n_runs, i;

	while ((i = job->next++) < n && !job->failed)
		run_one(job, i);
	return NULL;
}

ORDER(by_elapsed, struct outcome, BY_LEAST(elapsed_ns))

static uint32_t threads_for(const struct points_wanted *wanted)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t n = wanted->n_threads ? wanted->n_threads : cpus > 0 ? (uint64_t)cpus : 1;

	n = at_most((uint64_t)wanted->n * wanted->n_runs, n);
	return (uint32_t)at_most(THREADS_MOST, n);
}

/* Once for all runs. */
static void rank_steps(struct simulation *simulation, struct ranking *ranking)
{
	if (simulation->policy.queue != QUEUE_CRITICAL || simulation->ranking)
		return;
	simulation->ranking = ranking;
	ranking_build(ranking, simulation->graph);
}

/* The middle run of the first number of workers once more, by its seed. */
static int schedule_point(const struct point *point, const struct points_wanted *wanted,
			  const struct simulation *simulation, struct err *err)
{
	struct simulation again = *simulation;
	struct outcome outcome;

	again.n_workers = point->n_workers;
	again.seed = point->outcome.seed;
	again.schedule = wanted->schedule;
	return simulate(&again, &outcome, NULL, err);
}

/* Fills point[n].  `simulation` says all but workers and seed.  0, or -errno and *err. */
static int points_find(struct point *point, const struct points_wanted *wanted,
		       const struct simulation *simulation, struct err *err)
{
	struct simulation ranked = *simulation;
	struct job job = { .wanted = wanted,
			   .simulation = &ranked,
			   .mutex = PTHREAD_MUTEX_INITIALIZER,
			   .err = err };
	pthread_t thread[THREADS_MOST];
	struct ranking ranking = { 0 };
	uint32_t n_threads = 0, most = threads_for(wanted), runs = wanted->n_runs;

	job.outcome = xcalloc((size_t)wanted->n * runs, sizeof(*job.outcome));
	rank_steps(&ranked, &ranking);
	while (n_threads + 1 < most && pthread_create(&thread[n_threads], NULL, run_all, &job) == 0)
		n_threads++;
	run_all(&job);
	while (n_threads)
		pthread_join(thread[--n_threads], NULL);
	for (uint32_t i = 0; i < wanted->n && !job.failed; i++) {
		struct outcome *of = &job.outcome[(size_t)i * runs];

		SORT(of, runs, by_elapsed);
		point[i] = (struct point){ .n_workers = wanted->workers[i],
					   .outcome = of[(runs - 1) / 2],
					   .low_ns = of[0].elapsed_ns,
					   .high_ns = of[runs - 1].elapsed_ns };
	}
	if (wanted->schedule && !job.failed)
		job.failed = schedule_point(point, wanted, &ranked, err) < 0;
	free(job.outcome);
	ranking_free(&ranking);
	return job.failed ? err->code : 0;
}

/* ---- rows ---- */

#define FITS_SEED 1u /* fits say the same whatever --seed is */

static void count_collapsed(struct forecast *forecast, const struct graph *graph)
{
	for (uint32_t i = 0; i < forecast->dag->n_collapsed; i++)
		if (graph->parts[i].n > 1)
			forecast->n_parted++;
		else
			forecast->n_whole++;
}

/* As on one worker. */
static void scale_down(struct graph *graph, const struct scaling *scaling)
{
	for (strand_id s = 0; s < graph->n_steps; s++) {
		struct step *step = &graph->step[s];
		double factor;

		if (step->flags & STEP_NODE)
			continue;
		factor = scaling_at(scaling, dag_kind(graph->dag, s), graph->dag->n_workers);
		step->length = (uint64_t)((double)step->length / factor + .5);
	}
}

void model_build(struct model *model, const struct forecast *forecast,
		 const struct changes *changes)
{
	*model = (struct model){ 0 };
	graph_build(&model->graph, forecast->dag, changes);
	leads_build(&model->leads, &model->graph, forecast->cpu_wait_ns);
	searches_build(&model->searches, &model->graph, forecast->recorded_policy);
	if (forecast->scaling)
		scale_down(&model->graph, forecast->scaling);
	changes_apply(&model->graph, &model->leads, changes);
	graph_measure(&model->graph);
	if (forecast->fitted)
		fits_build(&model->fits, &model->graph, FITS_SEED);
}

void model_free(struct model *model)
{
	fits_free(&model->fits);
	searches_free(&model->searches);
	leads_free(&model->leads);
	graph_free(&model->graph);
}

/* What the row says of all its points; the first one, of the trace, too. */
static void note(struct forecast *forecast, struct forecast_row *row, const struct model *model)
{
	row->work_ns = model->graph.work_ns;
	row->span_ns = model->graph.span_ns;
	row->serial_ns = model->graph.serial_ns;
	row->n_changed = model->graph.n_changed;
	if (forecast->n_rows)
		return;
	count_collapsed(forecast, &model->graph);
	forecast->n_locks = model->graph.n_locks;
	memcpy(forecast->stands_in, model->leads.stands_in, sizeof(forecast->stands_in));
	forecast->no_steal = model->searches.none;
	forecast->n_never = model->searches.n_never;
}

static void take_fits(struct forecast *forecast, struct model *model)
{
	forecast->fits = model->fits;
	forecast->fits.graph = NULL;
	model->fits = (struct fits){ 0 };
}

bool forecast_keeps_whole(const struct forecast *forecast, const struct forecast_row *row,
			  uint32_t workers)
{
	return forecast->own_policy && forecast->dag->n_collapsed && !row->steals_changed &&
	       workers <= forecast->dag->n_workers;
}

/* Those of a row's points whose collapsed tasks run whole, although nobody asked for it, or not. */
static int find_points(const struct forecast *forecast, struct forecast_row *row, bool whole,
		       const struct points_wanted *wanted, const struct simulation *simulation,
		       struct err *err)
{
	struct points_wanted some = *wanted;
	struct point *point = xcalloc(wanted->n + 1ull, sizeof(*point));
	uint32_t *workers = xcalloc(wanted->n + 1ull, sizeof(*workers)), n = 0;
	int error = 0;

	some.workers = workers;
	some.n = 0;
	for (uint32_t i = 0; i < wanted->n && !error; i++)
		if (forecast_keeps_whole(forecast, row, wanted->workers[i]) == whole)
			workers[some.n++] = wanted->workers[i];
	if (!error && some.n)
		error = points_find(point, &some, simulation, err);
	for (uint32_t i = 0; i < wanted->n && !error; i++)
		if (forecast_keeps_whole(forecast, row, wanted->workers[i]) == whole)
			row->point[i] = point[n++];
	free(workers);
	free(point);
	return error;
}

static int fill(struct forecast *forecast, struct forecast_row *row, const struct changes *changes,
		const struct points_wanted *wanted, struct err *err)
{
	struct model model;
	struct simulation simulation = { .graph = &model.graph,
					 .leads = &model.leads,
					 .searches = &model.searches,
					 .fits = forecast->fitted ? &model.fits : NULL,
					 .scaling = forecast->scaling,
					 .changes = changes,
					 .policy = row->policy };
	int error;

	model_build(&model, forecast, changes);

	row->steals_changed = changes->cost[COST_STEAL].fixed;
	error = find_points(forecast, row, false, wanted, &simulation, err);
	if (!error) {
		note(forecast, row, &model);
		graph_keep_whole(&model.graph);
		error = find_points(forecast, row, true, wanted, &simulation, err);
	}
	if (!error && !forecast->n_rows)
		take_fits(forecast, &model);
	model_free(&model);
	return error;
}

int forecast_add(struct forecast *forecast, const char *what, const struct changes *changes,
		 const struct policy *policy, const struct points_wanted *wanted, struct err *err)
{
	struct forecast_row row = { .what = xstrdup(what), .policy = *policy };
	int error;

	row.point = xcalloc(wanted->n + 1ull, sizeof(*row.point));
	array_grow(&forecast->row, &forecast->row_room, forecast->n_rows + 1ull,
		   sizeof(*forecast->row));
	error = fill(forecast, &row, changes, wanted, err);
	if (error) {
		free(row.what);
		free(row.point);
		return error;
	}
	forecast->row[forecast->n_rows++] = row;
	return 0;
}

uint64_t forecast_bound(const struct forecast_row *row, uint32_t n_workers)
{
	struct least least = { row->work_ns, row->span_ns, row->serial_ns };

	return least_on(&least, n_workers);
}

void forecast_free(struct forecast *forecast)
{
	for (uint32_t i = 0; i < forecast->n_rows; i++) {
		free(forecast->row[i].what);
		free(forecast->row[i].point);
	}
	free(forecast->row);
	free(forecast->workers);
	for (kind_id k = 0; forecast->kind_name && k < forecast->dag->n_kinds; k++)
		free(forecast->kind_name[k]);
	free(forecast->kind_name);
	fits_free(&forecast->fits);
	*forecast = (struct forecast){ 0 };
}
