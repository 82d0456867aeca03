/* SPDX-License-Identifier: MIT */
/* width.c - counts workers by runtime, and strands that run at once. */
#include "tools/dag/width.h"

#include <errno.h>

#include "collector/trace/reader.h"
#include "tools/dag/running.h"

static uint64_t number_of(const struct defs *defs, const char *key)
{
	const char *text = defs_meta(defs, key);
	uint64_t n;

	return text && defs_number(text, &n) == 0 ? n : 0;
}

uint64_t width_cpus(const struct defs *defs)
{
	uint64_t n = number_of(defs, "cpus"), bound = number_of(defs, "workers_affinity");

	if (!n)
		n = number_of(defs, "cores");
	return bound && (bound < n || !n) ? bound : n;
}

static void count_tasks(struct dag *dag)
{
	for (uint32_t k = 1; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			dag->runtime[__builtin_ctz(dag->kind_runtimes[k])].n_tasks +=
				dag->kind_collapsed[k]->n_tasks;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (dag->task_kind[t])
			dag->runtime[__builtin_ctz(dag->kind_runtimes[dag->task_kind[t]])]
				.n_tasks++;
}

int width_most(const struct dag *dag, uint32_t *most)
{
	struct running running;

	*most = 0;
	if (running_open(&running, dag) < 0)
		return -ENOMEM;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s) || dag_length(dag, s) == 0)
			continue;
		while (running_ends(&running, dag_start(dag, s)))
			running_pop(&running);
		running_push(&running, s);
		if (running.n > *most)
			*most = running.n;
	}
	running_close(&running);
	return 0;
}

/* Of a process with tasks of several runtimes; `together` are all workers that they have. */
static int width_of_several(struct dag *dag, uint64_t together, uint64_t n_cpus)
{
	uint32_t most = 0;
	int error = 0;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks && dag->runtime[r].n_workers > dag->n_workers)
			dag->n_workers = dag->runtime[r].n_workers;
	if (n_cpus && together > n_cpus && n_cpus > dag->n_workers)
		dag->n_workers = (uint32_t)n_cpus;
	if (dag->n_seen > dag->n_workers)
		error = width_most(dag, &most);
	if (most > dag->n_workers)
		dag->n_workers = most;
	return error;
}

int width_find(struct dag *dag, const struct defs *defs)
{
	uint32_t n_used = 0;
	uint64_t together;

	dag->n_runtimes = defs->n_runtimes < DAG_RUNTIMES ? defs->n_runtimes : DAG_RUNTIMES;
	for (uint32_t w = 0; w < dag->n_slots; w++) {
		dag->n_seen += dag->worker_runtimes[w] != 0;
		for (uint32_t r = 0; r < dag->n_runtimes; r++)
			dag->runtime[r].n_seen += dag->worker_runtimes[w] >> r & 1;
	}
	count_tasks(dag);
	together = dag->n_seen;
	for (uint32_t r = 0; r < dag->n_runtimes; r++) {
		struct dag_runtime *runtime = &dag->runtime[r];
		uint32_t said = defs->runtime[r].n_workers;

		runtime->n_workers = said > runtime->n_seen ? said : runtime->n_seen;
		runtime->calls_ps = defs->runtime[r].calls_ps;
		n_used += runtime->n_tasks > 0;
	}
	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks || !n_used)
			together += dag->runtime[r].n_workers - dag->runtime[r].n_seen;
	if (n_used > 1)
		return width_of_several(dag, together, width_cpus(defs));
	dag->n_workers = (uint32_t)together;
	return 0;
}
