/* SPDX-License-Identifier: MIT */
/* width.c - counts workers by runtime, and strands that run at once. */
#include "tools/dag/width.h"

#include <errno.h>

#include "collector/trace/reader.h"
#include "tools/dag/running.h"

uint64_t width_cpus(const struct defs *defs)
{
	uint64_t n = defs_meta_number(defs, "cpus");
	uint64_t bound = defs_meta_number(defs, "workers_affinity");

	if (!n)
		n = defs_meta_number(defs, "cores");
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
		if (dag_is_node(dag, s) || dag_length(dag, s) == 0 ||
		    dag->beside[dag->strand[s].worker])
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

static uint32_t count_bits(const uint16_t *bits, uint32_t n, uint32_t r)
{
	uint32_t found = 0;

	for (uint32_t w = 0; w < n; w++)
		found += bits[w] >> r & 1;
	return found;
}

/* Of runtimes that have more workers than ran tasks: who lost events may have run some. */
static void suppose_tasks(struct dag *dag, uint16_t runtimes)
{
	for (uint64_t g = 0; runtimes && g < dag->n_gaps; g++)
		if (dag->gap[g].why != WIRE_LOSS_STOPPED)
			dag->worker_tasks[dag->gap[g].worker] |= runtimes;
}

/* Who is beside the workers of each runtime that it ran strands of. */
static void find_beside(struct dag *dag, const struct defs *defs)
{
	uint16_t known = (uint16_t)((1u << dag->n_runtimes) - 1);
	uint16_t crowded = 0; /* runtimes of which more ran a strand than are workers */
	uint16_t lacking = 0; /* .. and fewer ran tasks */

	for (uint32_t r = 0; r < dag->n_runtimes; r++) {
		uint32_t said = defs->runtime[r].n_workers;
		uint32_t n_seen = count_bits(dag->worker_runtimes, dag->n_slots, r);
		uint32_t n_ran = count_bits(dag->worker_tasks, dag->n_slots, r);

		if (said && n_seen > said && n_seen > n_ran)
			crowded |= (uint16_t)(1u << r);
		if (said > n_ran)
			lacking |= (uint16_t)(1u << r);
	}
	suppose_tasks(dag, lacking & crowded);
	for (uint32_t w = 0; w < dag->n_slots; w++) {
		uint16_t all = dag->worker_runtimes[w] & known;

		dag->beside[w] |= all && !(all & ~crowded) && !(all & dag->worker_tasks[w]);
		dag->n_beside += dag->beside[w];
		dag->n_seen += dag->worker_runtimes[w] && !dag->beside[w];
		if (dag->beside[w])
			continue;
		for (uint32_t r = 0; r < dag->n_runtimes; r++)
			dag->runtime[r].n_seen += all >> r & 1;
	}
}

uint32_t width_never(const struct dag *dag)
{
	uint32_t n_seen = dag->n_seen;

	for (uint32_t w = 0; w < dag->n_slots; w++)
		n_seen += dag->beside[w] && dag->worker_tasks[w];
	return dag->n_workers > n_seen ? dag->n_workers - n_seen : 0;
}

int width_find(struct dag *dag, const struct defs *defs)
{
	uint32_t n_used = 0;
	uint64_t together;

	dag->n_runtimes = defs->n_runtimes < DAG_RUNTIMES ? defs->n_runtimes : DAG_RUNTIMES;
	find_beside(dag, defs);
	count_tasks(dag);
	together = dag->n_seen;
	for (uint32_t r = 0; r < dag->n_runtimes; r++) {
		struct dag_runtime *runtime = &dag->runtime[r];
		uint32_t said = defs->runtime[r].n_workers;

		runtime->n_workers = said > runtime->n_seen ? said : runtime->n_seen;
		runtime->calls_ps = defs->runtime[r].calls_ps;
		runtime->tokens = defs->runtime[r].tokens;
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
