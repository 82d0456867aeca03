/* SPDX-License-Identifier: MIT */
/*
 * sweep_step.h - sweep_next() for those who ask for the steps of all strands: as part of their loop
 * it guesses what comes next half as often wrong.  Only sweep_step() is for them.
 *
 * Starts come in the order of the strands; ends from a heap of what runs.
 *
 * Most sweeps are plain: of all of the window and all runtimes, and without collapsed strands.  A
 * loop over sweep_step_of() for each of the two leaves what plain sweeps need not ask to the
 * compiler.
 */
#pragma once

#include "tools/analysis/sweep.h"
#include "tools/base/at_most.h"

#define SWEEP_INLINE static inline __attribute__((always_inline))

/* sweep.c's, not asked for at each step. */
uint64_t sweep_selected_until(struct sweep *sweep, uint64_t to);
void sweep_follow_path(struct sweep *sweep);
void sweep_mix(struct sweep *sweep);

/* Goes on to the next strand that is no node. */
SWEEP_INLINE void sweep_pass_nodes(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;

	while (sweep->next < dag->n_strands && dag_is_node(dag, sweep->next))
		sweep->next++;
	sweep->next_ns =
		sweep->next < dag->n_strands ? dag_start(dag, sweep->next) : dag->elapsed_ns;
}

/* Looks for what happens next, of whatever strand. */
SWEEP_INLINE void sweep_look_ahead(struct sweep *sweep)
{
	if (running_ends(&sweep->running, sweep->next_ns)) {
		sweep->coming = SWEEP_END;
		sweep->until_ns = sweep->running.heap[0].end_ns;
		sweep->who = running_pop(&sweep->running);
		return;
	}
	sweep->until_ns = sweep->next_ns;
	if (sweep->next < sweep->dag->n_strands) {
		sweep->coming = SWEEP_START;
		sweep->who = sweep->next++;
		sweep_pass_nodes(sweep);
	} else {
		sweep->coming = SWEEP_OVER;
	}
}

/* So many of the free workers are in that state, if `left` are left; how many are then. */
SWEEP_INLINE uint64_t sweep_count_state(struct sweep *sweep, enum state state, uint64_t left)
{
	sweep->n_in[state] = at_most(left, sweep->workers.n[state]);
	return left - sweep->n_in[state];
}

/*
 * What the free workers are in.  Where more were seen than P, fewer count than are free: those
 * that are held first, and so on, the last to be charged with ready strands first (states.h).
 */
SWEEP_INLINE void sweep_count_states(struct sweep *sweep)
{
	uint64_t left = sweep->q;

#pragma GCC unroll 6
	for (size_t i = STATES_FREE; i-- > 1;)
		left = sweep_count_state(sweep, states_charged[i], left);
	sweep->n_in[STATE_IDLE] = left;
}

/* Passes time up to what happens next, or to where the selection begins or ends. */
SWEEP_INLINE bool sweep_pass_time(struct sweep *sweep, bool plain)
{
	uint64_t to = at_most(sweep->until_ns, workers_until(&sweep->workers));

	sweep->now_ns += sweep->ns;
	sweep->ns = 0;
	if (sweep->now_ns >= to)
		return false;
	if (!plain && sweep->scope.select)
		to = sweep_selected_until(sweep, to);
	if (sweep->now_ns >= to)
		return false;
	sweep->ns = to - sweep->now_ns;
	sweep->q = sweep->scope.n_workers - sweep->p - (plain ? 0 : sweep->mixture.n_members);
	if (!plain) {
		sweep->filled = at_most(sweep->n_beside, sweep->q);
		sweep->q -= sweep->filled;
	}
	sweep_count_states(sweep);
	if (sweep->now_ns >= sweep->path_until_ns)
		sweep_follow_path(sweep);
	if (!plain && sweep->mixture.n_members)
		sweep_mix(sweep);
	return true;
}

SWEEP_INLINE void sweep_start(struct sweep *sweep, bool plain)
{
	const struct dag *dag = sweep->dag;
	strand_id s = sweep->strand, direct;

	running_push(&sweep->running, s);
	if (!plain && !sweep->counts) {
		workers_end(&sweep->workers, dag->strand[s].worker, STATE_IDLE);
		return;
	}
	workers_start(&sweep->workers, dag->strand[s].worker);
	direct = dag_releaser(dag, s, &sweep->hint);
	sweep->releaser = direct;
	if (direct != STRAND_NONE && dag_is_node(dag, direct))
		sweep->releaser = ready_path_through(dag, direct);
	if (sweep->releaser != STRAND_NONE) {
		sweep->edge = dag_edge_kind(dag, direct, s);
		if (plain || select_has(sweep->scope.select, dag_start(dag, s), dag_start(dag, s)))
			sweep->n_moves[released_move_by(dag, s, direct, sweep->edge)]++;
		if (released_outside(dag, s))
			sweep->releaser = STRAND_NONE;
		else
			sweep->r--;
	}
	if (!plain && dag->beside[dag->strand[s].worker])
		sweep->n_beside++;
	else if (plain || !dag_collapsed(dag, s))
		sweep->p++;
	else {
		mixture_add(&sweep->mixture, dag, s);
	}
}

SWEEP_INLINE void sweep_end(struct sweep *sweep, bool plain)
{
	strand_id s = sweep->strand;

	sweep->n_released = released_by(sweep->released, s);
	sweep->r += sweep->n_released;
	if (!plain && !sweep->counts)
		return;
	if (!plain && sweep->dag->beside[sweep->dag->strand[s].worker]) {
		workers_end(&sweep->workers, sweep->dag->strand[s].worker, STATE_IDLE);
		sweep->n_beside--;
		return;
	}
	workers_end(&sweep->workers, sweep->dag->strand[s].worker, sweep->scope.pauses->after[s]);
	if (!plain && dag_collapsed(sweep->dag, s))
		mixture_remove(&sweep->mixture, sweep->dag, s);
	else
		sweep->p--;
}

/* plain: sweep->plain, as a constant */
SWEEP_INLINE enum sweep_what sweep_step_of(struct sweep *sweep, bool plain)
{
	enum sweep_what what = sweep->coming;

	if (sweep_pass_time(sweep, plain))
		return SWEEP_TIME;
	if (workers_until(&sweep->workers) <= sweep->until_ns) {
		sweep->worker = workers_turn(&sweep->workers);
		return SWEEP_TURN;
	}
	if (what == SWEEP_OVER)
		return SWEEP_OVER;
	sweep->strand = sweep->who;
	sweep->counts = plain || sweep_covers(&sweep->scope, sweep->dag, sweep->who);
	if (what == SWEEP_START)
		sweep_start(sweep, plain);
	else
		sweep_end(sweep, plain);
	sweep_look_ahead(sweep);
	return what;
}
