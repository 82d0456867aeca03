/* SPDX-License-Identifier: MIT */
/*
 * gap.c - events that are missing: what they leave open is closed, what they hide is found.
 *
 * A gap is told where it is in the worker's stream, right after the event before it.  So it is
 * known before any event of another worker that it may explain.
 */
#include "tools/dag/build.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/reader.h"

#define LOST_N ((UINT64_C(1) << WIRE_LOSS_SHIFT) - 1)

/* What runs on the worker is over when its gap begins; what it did then, nobody knows. */
static void cut_off(struct build *build, struct lane *lane)
{
	struct live *live = build_live(build, lane->task);

	lane->cut = lane->open;
	if (lane->open != STRAND_NONE)
		lane->before_gap = lane->open;
	if (lane->open != STRAND_NONE && live)
		join_forget(build, live);
	lane->open = STRAND_NONE;
	lane->task = TASK_NONE;
	lane->detailed = TASK_NONE;
	lane->ended_early = false;
}

static int set_since(struct build *build, struct lane *lane, uint64_t ns)
{
	uint64_t whole_ns = reader_facts(build->reader)->whole_ns;
	uint64_t begin_ns = build->dag->begin_ns;

	ns = ns < whole_ns ? ns : whole_ns;
	build->dag->gap[lane->gap].since_ns = ns;
	if (ns < build->lossy_ns)
		build->lossy_ns = ns;
	if (lane->cut == STRAND_NONE)
		return 0;
	if (ns < begin_ns + dag_start(build->dag, lane->cut))
		return build_contradicts(build, "a strand begins after it");
	if (ns > build->last_ns)
		build->last_ns = ns;
	return build_set_end(build, lane->cut, ns - begin_ns);
}

static int on_lost(struct build *build, struct lane *lane)
{
	struct dag *dag = build->dag;
	uint64_t why = build->event->b >> WIRE_LOSS_SHIFT;

	if (why >= WIRE_LOSSES)
		return build_contradicts(build, "a loss of unknown kind");
	if (!array_grow(&dag->gap, &build->gap_room, dag->n_gaps + 1, sizeof(*dag->gap)))
		return build_no_memory(build);
	dag->gap[dag->n_gaps] = (struct gap){ .n = build->event->b & LOST_N,
					      .until_ns = UINT64_MAX,
					      .worker = build->worker,
					      .why = (uint32_t)why };
	if (why != WIRE_LOSS_STOPPED)
		dag->n_lost += dag->gap[dag->n_gaps].n;
	lane->gap = dag->n_gaps++;
	lane->after_gap = true;
	cut_off(build, lane);
	return set_since(build, lane, lane->last_ns);
}

int gap_event(struct build *build)
{
	struct lane *lane = &build->lane[build->worker];
	uint64_t ns;

	if (build->event->kind == WIRE_LOST)
		return on_lost(build, lane);
	if (!lane->after_gap)
		return build_contradicts(build, "nothing was lost before it");
	struct gap *gap = &build->dag->gap[lane->gap];

	ns = reader_ns(build->reader, build->event->b);
	if (ns < gap->since_ns)
		return build_contradicts(build, "it is before the gap");
	if (build->event->kind == WIRE_SINCE)
		return set_since(build, lane, ns);
	gap->until_ns = ns;
	return 0;
}

int gap_over(struct build *build)
{
	struct lane *lane = &build->lane[build->worker];
	struct gap *gap = &build->dag->gap[lane->gap];
	strand_id before = lane->before_gap;
	uint64_t ns = build->ns - build->dag->begin_ns;

	lane->before_gap = STRAND_NONE;
	if (gap->since_ns > build->ns)
		gap->since_ns = build->ns;
	if (gap->until_ns > build->ns)
		gap->until_ns = build->ns;
	if (before == STRAND_NONE || dag_end(build->dag, before) <= ns)
		return 0;
	return build_set_end(build, before, ns);
}

/* The first id of all is the program's main task, if nothing else is known of it: no BEGIN is of that. */
#define MAIN_ID 1u

int gap_task(struct build *build, uint64_t id, task_id *out)
{
	uint64_t *found = id ? table_put(&build->found, id) : NULL;
	uint32_t kind;
	int error = id && !found ? build_no_memory(build) : 0;

	if (!error && id == MAIN_ID && build->event->kind != WIRE_BEGIN)
		error = build_kind(build, 0, KIND_ROOT, &kind);
	else if (!error)
		error = build_kind(build, DAG_KIND_FOUND - 1, KIND_TASK, &kind);
	if (!error)
		error = build_task(build, kind, STRAND_NONE, 0, 0, out);
	if (error)
		return error;
	if (found)
		*found = (uint64_t)*out + 1;
	build->dag->n_found += kind == DAG_KIND_FOUND;
	return 0;
}

bool gap_hides(const struct build *build, task_id task)
{
	strand_id last = build->task_last[task];

	return build->lane[build->worker].after_gap && last != STRAND_NONE &&
	       build->dag->strand[last].worker == build->worker;
}

bool gap_was_asked_for(const struct build *build)
{
	const struct lane *lane = &build->lane[build->worker];

	return lane->after_gap && build->dag->gap[lane->gap].why == WIRE_LOSS_STOPPED;
}

bool gap_is_untold(const struct build *build, task_id task)
{
	uint32_t worker = build->dag->strand[build->task_last[task]].worker;

	if (!build_lossy(build))
		return false;
	if (!reader_facts(build->reader)->ended ||
	    defs_meta(reader_defs(build->reader), "unrecovered_rings"))
		return true;
	return defs_meta(reader_defs(build->reader), "snapshot") && !build->merge->event[worker];
}

int gap_elsewhere(struct build *build, task_id task)
{
	strand_id last = build->task_last[task];
	struct lane *lane = &build->lane[build->dag->strand[last].worker];

	if (!gap_is_untold(build, task))
		return build_contradicts(build, "the task is running then");
	cut_off(build, lane);
	return build_set_end(build, last, lane->last_ns - build->dag->begin_ns);
}

int gap_unrecorded(struct build *build)
{
	struct lane *lane = &build->lane[build->worker];

	if (!defs_meta(reader_defs(build->reader), "unrecorded_threads"))
		return build_contradicts(build, "worker %u runs something else then",
					 build->worker);
	cut_off(build, lane);
	lane->before_gap = STRAND_NONE;
	return build_set_end(build, lane->cut, dag_start(build->dag, lane->cut));
}

static int by_worker(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->since_ns < y->since_ns ? -1 : x->since_ns > y->since_ns;
}

static uint64_t since_begin(const struct dag *dag, uint64_t ns)
{
	return ns > dag->begin_ns ? ns - dag->begin_ns : 0;
}

void gap_finish(struct build *build)
{
	struct dag *dag = build->dag;

	for (uint64_t i = 0; i < dag->n_gaps; i++) {
		struct gap *gap = &dag->gap[i];

		gap->since_ns = since_begin(dag, gap->since_ns);
		gap->until_ns = gap->until_ns == UINT64_MAX ? dag->elapsed_ns
							    : since_begin(dag, gap->until_ns);
		if (gap->until_ns < gap->since_ns)
			gap->until_ns = gap->since_ns;
	}
	if (dag->n_gaps)
		qsort(dag->gap, dag->n_gaps, sizeof(*dag->gap), by_worker);
}
