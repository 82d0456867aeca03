/* SPDX-License-Identifier: MIT */
/* device_lanes.c - lays operations out in lanes, and finds who waited for them. */
#include "tools/export/device_lanes.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/order.h"

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

/* The waits of each task for devices, the last one first: strands that begin after one. */
struct device_waits {
	struct map last; /* by task: index in after[], + 1 */
	struct device_wait {
		strand_id after;
		uint64_t before; /* index + 1; 0: none */
	} * wait;
	uint64_t n, room;
};

static int find_device_waits(struct device_waits *waits, const struct dag *dag)
{
	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id pred = dag->strand[s].pred;
		const struct dag_wait *wait = NULL;
		uint64_t *last;

		if (!dag_is_node(dag, s) && pred != STRAND_NONE && !dag_is_node(dag, pred))
			wait = dag_wait_of(dag, pred);
		if (!wait || wait->what != WIRE_WAIT_DEVICE)
			continue;
		last = map_put(&waits->last, dag->strand[s].task);
		if (!last ||
		    !array_grow(&waits->wait, &waits->room, waits->n + 1, sizeof(*waits->wait)))
			return -ENOMEM;
		waits->wait[waits->n++] = (struct device_wait){ s, *last };
		*last = waits->n;
	}
	return 0;
}

/* Who waited as it ended. */
static strand_id waiter_of(const struct device_waits *waits, const struct dag *dag,
			   const struct dag_operation *its)
{
	uint64_t *last = map_find(&waits->last, its->task);

	for (uint64_t i = last ? *last : 0; i; i = waits->wait[i - 1].before) {
		strand_id s = waits->wait[i - 1].after;

		if (dag_end(dag, dag->strand[s].pred) <= its->end_ns &&
		    its->end_ns <= dag_start(dag, s))
			return s;
	}
	return STRAND_NONE;
}

/* ---- lanes ---- */

static int by_lane_and_time(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	return order_least(x->lane, y->lane) ?: order_least(x->its->begin_ns, y->its->begin_ns) ?:
	       (x->its > y->its) - (x->its < y->its);
}

/* Each has its device as lane, and gets the first of that device's lanes that is free. */
static int fill_lanes(struct operations *operations)
{
	uint64_t *free_ns = calloc(operations->n + 1, sizeof(*free_ns));
	uint32_t first = 0, lane, device = UINT32_MAX;

	if (!free_ns)
		return -ENOMEM;
	for (uint64_t i = 0; i < operations->n; i++) {
		struct operation *of = &operations->of[i];

		if (!i || of->lane != device)
			first = operations->n_lanes;
		device = of->lane;
		for (lane = first; lane < operations->n_lanes; lane++)
			if (free_ns[lane] <= of->its->begin_ns)
				break;
		operations->n_lanes += lane == operations->n_lanes;
		free_ns[lane] = of->its->end_ns;
		of->lane = lane;
	}
	free(free_ns);
	return 0;
}

int operations_find(struct operations *operations, const struct export *export)
{
	const struct dag *dag = export->dag;
	struct device_waits waits = { 0 };
	int error;

	*operations =
		(struct operations){ .of = calloc(dag->n_operations + 1, sizeof(*operations->of)) };
	error = operations->of ? find_device_waits(&waits, dag) : -ENOMEM;
	for (uint64_t i = 0; i < dag->n_operations && !error; i++) {
		const struct dag_operation *its = &dag->operation[i];

		if (select_has(run_selected(export->run), its->begin_ns, its->end_ns))
			operations->of[operations->n++] =
				(struct operation){ its, device_of(export, its),
						    waiter_of(&waits, dag, its) };
	}
	if (!error && operations->n) {
		qsort(operations->of, operations->n, sizeof(*operations->of), by_lane_and_time);
		error = fill_lanes(operations);
		qsort(operations->of, operations->n, sizeof(*operations->of), by_lane_and_time);
	}
	map_free(&waits.last);
	free(waits.wait);
	if (error)
		operations_free(operations);
	return error;
}

void operations_free(struct operations *operations)
{
	free(operations->of);
	*operations = (struct operations){ 0 };
}
