/* SPDX-License-Identifier: MIT */
/* points.c - threads that take runs from a list until it is empty. */
#include "tools/model/points.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

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

int points_find(struct point *point, const struct points_wanted *wanted,
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
