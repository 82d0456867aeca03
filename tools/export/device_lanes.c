/* SPDX-License-Identifier: MIT */
/* device_lanes.c - lays operations out in lanes, and finds who waited for them. */
#include "tools/export/device_lanes.h"

#include <stdlib.h>

#include "tools/base/at_most.h"
#include "tools/base/order.h"
#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"

static const struct defs_site *site_of(const struct export *export, const struct dag_operation *its)
{
	const struct defs *defs = export->summary->defs;

	return its->site < defs->n_sites ? &defs->site[its->site] : NULL;
}

const char *operation_name(const struct export *export, const struct operation *operation)
{
	const struct defs_site *site = site_of(export, operation->its);

	return (site ? site->name : NULL)
		       ?: rows_site(export->run, operation->its->site).name ?: "(unknown)";
}

/* The number of its device's runtime. */
static uint32_t device_of(const struct export *export, const struct dag_operation *its)
{
	const struct defs_site *site = site_of(export, its);

	return site ? site->runtime : UINT32_MAX;
}

const char *operation_device(const struct export *export, const struct operation *operation)
{
	const struct defs *defs = export->summary->defs;
	uint32_t device = device_of(export, operation->its);

	return device < defs->n_runtimes && defs->runtime[device].name ? defs->runtime[device].name
								       : "device";
}

/* ---- waits ---- */

/* A strand that begins after its task waited for a device. */
struct device_wait {
	task_id task;
	strand_id after;
};

struct device_waits {
	struct device_wait *wait; /* by task and time */
	uint64_t n, room;
};

ORDER(by_task, struct device_wait, BY_LEAST(task) ?: BY_LEAST(after))

static void find_device_waits(struct device_waits *waits, const struct dag *dag)
{
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		const struct dag_wait *wait = NULL;

		if (!dag_is_node(dag, s) && pred != STRAND_NONE && !dag_is_node(dag, pred))
			wait = dag_wait_of(dag, pred);
		if (!wait || wait->what != WIRE_WAIT_DEVICE)
			continue;
		ARRAY_ADD(waits->wait, waits->n, waits->room,
			  (struct device_wait){ dag->strand[s].task, s });
	}
	SORT(waits->wait, waits->n, by_task);
}

/* Who waited as it ended: a task's waits follow each other. */
static strand_id waiter_of(const struct device_waits *waits, const struct dag *dag,
			   const struct dag_operation *its)
{
	uint64_t n = SORTED_BEFORE(
		waits->wait, waits->n,
		it->task < its->task || (it->task == its->task &&
					 dag_end(dag, dag->strand[it->after].pred) <= its->end_ns));
	const struct device_wait *last = n ? &waits->wait[n - 1] : NULL;

	return last && last->task == its->task && its->end_ns <= dag_start(dag, last->after)
		       ? last->after
		       : STRAND_NONE;
}

/* ---- lanes ---- */

static int by_lane_and_time(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	return order_least(x->lane, y->lane) ?: order_least(x->its->begin_ns, y->its->begin_ns) ?:
	       (x->its > y->its) - (x->its < y->its);
}

/* When each of `size` lanes is free, and above these the first time of two: the root is free_ns[1].
 */
static void set_free(uint64_t *free_ns, uint64_t size, uint32_t lane, uint64_t ns)
{
	uint64_t i = size + lane;

	for (free_ns[i] = ns; i /= 2;)
		free_ns[i] = at_most(free_ns[2 * i], free_ns[2 * i + 1]);
}

/* Each has its device as lane, and gets the first of that device's lanes that is free. */
static void fill_lanes(struct operations *operations)
{
	uint64_t size = 1, *free_ns;
	uint32_t first = 0, device = UINT32_MAX;

	while (size < operations->n)
		size *= 2;
	free_ns = xcalloc(2 * size, sizeof(*free_ns));
	for (uint64_t i = 0; i < operations->n; i++) {
		struct operation *of = &operations->of[i];
		uint64_t at = 1;

		for (; of->lane != device && first < operations->n_lanes; first++)
			set_free(free_ns, size, first, UINT64_MAX);
		device = of->lane;
		while (at < size)
			at = 2 * at + (free_ns[2 * at] > of->its->begin_ns);
		of->lane = (uint32_t)(at - size);
		operations->n_lanes += of->lane == operations->n_lanes;
		set_free(free_ns, size, of->lane, of->its->end_ns);
	}
	free(free_ns);
}

void operations_find(struct operations *operations, const struct export *export)
{
	const struct dag *dag = export->dag;
	struct device_waits waits = { 0 };

	*operations = (struct operations){ .of = xcalloc(dag->n_operations + 1,
							 sizeof(*operations->of)) };
	find_device_waits(&waits, dag);
	for (uint64_t i = 0; i < dag->n_operations; i++) {
		const struct dag_operation *its = &dag->operation[i];

		if (select_has(run_selected(export->run), its->begin_ns, its->end_ns))
			operations->of[operations->n++] =
				(struct operation){ its, device_of(export, its),
						    waiter_of(&waits, dag, its) };
	}
	if (operations->n) {
		qsort(operations->of, operations->n, sizeof(*operations->of), by_lane_and_time);
		fill_lanes(operations);
		qsort(operations->of, operations->n, sizeof(*operations->of), by_lane_and_time);
	}
	free(waits.wait);
}

void operations_free(struct operations *operations)
{
	free(operations->of);
	*operations = (struct operations){ 0 };
}
