/* SPDX-License-Identifier: MIT */
/* gap.c - closes what gaps cut off, and makes the tasks that they hide. */
#include "tools/dag/gap.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/order.h"

/* The first id of all is the program's main task, if nothing else is known of it: no BEGIN is of
 * that. */
#define MAIN_ID 1u

void gap_open(struct gaps *gaps, struct state *state, struct kinds *kinds, struct join *join)
{
	const struct reader_facts *facts = reader_facts(state->reader);
	const char *unrecorded = defs_meta(reader_defs(state->reader), "unrecorded_threads");

	*gaps = (struct gaps){ .state = state,
			       .kinds = kinds,
			       .join = join,
			       .unrecorded = unrecorded || facts->sure_ns < facts->whole_ns,
			       .lane = xcalloc(state->n_lanes + 1ull, sizeof(*gaps->lane)) };
	for (uint32_t w = 0; w < state->n_lanes; w++)
		gaps->lane[w] = (struct gap_lane){ .cut = STRAND_NONE, .before_gap = STRAND_NONE };
}

void gap_free(struct gaps *gaps)
{
	free(gaps->lane);
	*gaps = (struct gaps){ 0 };
}

/* ---- what a gap cuts off ---- */

/* What runs on the worker is over when its gap begins; what it did then, nobody knows. */
static void cut_off(struct gaps *gaps, uint32_t worker)
{
	struct lane *lane = &gaps->state->lane[worker];
	struct live *live = state_live(gaps->state, lane->task);

	gaps->lane[worker].cut = lane->open;
	if (lane->open != STRAND_NONE)
		gaps->lane[worker].before_gap = lane->open;
	if (lane->open != STRAND_NONE && live)
		join_forget(gaps->join, live);
	lane->open = STRAND_NONE;
	lane->task = TASK_NONE;
	lane->detailed = TASK_NONE;
	lane->ended_early = false;
}

static int set_since(struct gaps *gaps, uint64_t ns)
{
	struct state *state = gaps->state;
	struct gap_lane *lane = &gaps->lane[state->worker];
	uint64_t whole_ns = reader_facts(state->reader)->whole_ns;
	uint64_t begin_ns = state->dag->begin_ns;

	ns = ns < whole_ns ? ns : whole_ns;
	state->dag->gap[lane->gap].since_ns = ns;
	if (ns < state->lossy_ns)
		state->lossy_ns = ns;
	if (lane->cut == STRAND_NONE)
		return 0;
	if (ns < begin_ns + dag_start(state->dag, lane->cut))
		return state_contradicts(state, "a strand begins after it");
	if (ns > state->last_ns)
		state->last_ns = ns;
	if (ns - begin_ns >= WINDOW_MAX_NS)
		return state_too_long(state);
	state_set_end(state, lane->cut, ns - begin_ns);
	return 0;
}

static int on_lost(struct gaps *gaps)
{
	struct state *state = gaps->state;
	struct dag *dag = state->dag;
	struct gap_lane *lane = &gaps->lane[state->worker];
	uint64_t why = lost_why(state->event->b);

	if (why >= WIRE_LOSSES)
		return state_contradicts(state, "unknown kind of loss");
	array_grow(&dag->gap, &state->room.gaps, dag->n_gaps + 1, sizeof(*dag->gap));
	dag->gap[dag->n_gaps] = (struct gap){ .n = lost_n(state->event->b),
					      .until_ns = UINT64_MAX,
					      .worker = state->worker,
					      .why = (uint32_t)why };
	if (why != WIRE_LOSS_STOPPED)
		dag->n_lost += dag->gap[dag->n_gaps].n;
	lane->gap = dag->n_gaps++;
	lane->after_gap = true;
	state->lane[state->worker].noted = true;
	cut_off(gaps, state->worker);
	return set_since(gaps, state->lane[state->worker].last_ns);
}

int gap_event(struct gaps *gaps)
{
	struct state *state = gaps->state;
	struct gap *gap;
	uint64_t ns;

	if (state->event->kind == WIRE_LOST)
		return on_lost(gaps);
	if (!gap_before(gaps))
		return state_contradicts(state, "nothing was lost before it");
	gap = &state->dag->gap[gaps->lane[state->worker].gap];
	ns = reader_ns(state->reader, state->event->b);
	if (ns < gap->since_ns)
		return state_contradicts(state, "it is before the gap");
	if (state->event->kind == WIRE_SINCE)
		return set_since(gaps, ns);
	gap->until_ns = ns;
	return 0;
}

void gap_over(struct gaps *gaps)
{
	struct state *state = gaps->state;
	struct gap_lane *lane = &gaps->lane[state->worker];
	struct gap *gap = &state->dag->gap[lane->gap];
	strand_id before = lane->before_gap;
	uint64_t ns = state->ns - state->dag->begin_ns;

	lane->before_gap = STRAND_NONE;
	if (gap->since_ns > state->ns)
		gap->since_ns = state->ns;
	if (gap->until_ns > state->ns)
		gap->until_ns = state->ns;
	if (before == STRAND_NONE || dag_end(state->dag, before) <= ns)
		return;
	state_set_end(state, before, ns);
}

bool gap_was_asked_for(const struct gaps *gaps)
{
	uint64_t newest = gaps->lane[gaps->state->worker].gap;

	return gap_before(gaps) && gaps->state->dag->gap[newest].why == WIRE_LOSS_STOPPED;
}

bool gap_hides(const struct gaps *gaps, task_id task)
{
	const struct state *state = gaps->state;
	strand_id last = state->task_last[task];

	return gap_before(gaps) && last != STRAND_NONE &&
	       state->dag->strand[last].worker == state->worker;
}

bool gap_is_untold(const struct gaps *gaps, task_id task)
{
	const struct state *state = gaps->state;
	uint32_t worker = state->dag->strand[state->task_last[task]].worker;
	const struct defs *defs = reader_defs(state->reader);

	if (!state_lossy(state))
		return false;
	if (!reader_facts(state->reader)->ended || defs_meta(defs, "unrecovered_rings"))
		return true;
	return defs_meta(defs, "snapshot") && merge_is_over(state->merge, worker);
}

/* ---- what nobody saw ---- */

int gap_task(struct gaps *gaps, uint64_t id, task_id *out)
{
	struct state *state = gaps->state;
	bool main = id == MAIN_ID && state->event->kind != WIRE_BEGIN;
	kind_id kind = KIND_OF_ROOTS;
	int error = 0;

	if (!main)
		error = kind_created_at(gaps->kinds, SITE_UNKNOWN, KIND_TASK, &kind);
	if (!error)
		state_task(state, kind, STRAND_NONE, 0, 0, out);
	if (!error && id)
		ids_find(&state->ids, id, *out);
	state->dag->n_found += !error && !main;
	return error;
}

int gap_elsewhere(struct gaps *gaps, task_id task)
{
	struct state *state = gaps->state;
	strand_id last = state->task_last[task];
	uint32_t worker = state->dag->strand[last].worker;

	/* what nobody saw is a worker's last events: here the worker goes on */
	if (!gap_is_untold(gaps, task) || worker == state->worker)
		return state_contradicts(state, "the task is running then");
	cut_off(gaps, worker);
	state_set_end(state, last, state->lane[worker].last_ns - state->dag->begin_ns);
	return 0;
}

int gap_unrecorded(struct gaps *gaps)
{
	struct state *state = gaps->state;
	struct gap_lane *lane = &gaps->lane[state->worker];

	if (!gaps->unrecorded)
		return state_contradicts(state, "worker %u runs something else then",
					 state->worker);
	cut_off(gaps, state->worker);
	lane->before_gap = STRAND_NONE;
	state_set_end(state, lane->cut, dag_start(state->dag, lane->cut));
	return 0;
}

int gap_unseen(struct gaps *gaps)
{
	struct state *state = gaps->state;
	struct lane *lane = &state->lane[state->worker];

	if (!gaps->unrecorded)
		return state_contradicts(state, "worker %u runs nothing then", state->worker);
	lane->task = TASK_NONE;
	lane->detailed = TASK_NONE;
	return 0;
}

/* ---- at the end ---- */

ORDER(by_worker, struct gap, BY_LEAST(worker) ?: BY_LEAST(since_ns))

static uint64_t since_begin(const struct dag *dag, uint64_t ns)
{
	return ns > dag->begin_ns ? ns - dag->begin_ns : 0;
}

void gap_finish(struct dag *dag)
{
	for (uint64_t i = 0; i < dag->n_gaps; i++) {
		struct gap *gap = &dag->gap[i];

		gap->since_ns = since_begin(dag, gap->since_ns);
		gap->until_ns = gap->until_ns == UINT64_MAX ? dag->elapsed_ns
							    : since_begin(dag, gap->until_ns);
		if (gap->until_ns < gap->since_ns)
			gap->until_ns = gap->since_ns;
	}
	SORT(dag->gap, dag->n_gaps, by_worker);
}
