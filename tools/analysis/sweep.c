/* SPDX-License-Identifier: MIT */
/* sweep.c - starts come in the order of the strands; ends from a heap of what runs. */
#include "tools/analysis/sweep.h"

#include <errno.h>

#include "tools/base/at_most.h"

/* Looks for what happens next, of whatever strand. */
static void look_ahead(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	bool any;

	while (sweep->next < dag->n_strands && dag_is_node(dag, sweep->next))
		sweep->next++;
	any = sweep->next < dag->n_strands;
	sweep->until_ns = any ? dag_start(dag, sweep->next) : dag->elapsed_ns;
	if (running_ends(&sweep->running, sweep->until_ns)) {
		sweep->coming = SWEEP_END;
		sweep->until_ns = sweep->running.heap[0].end_ns;
		sweep->who = running_pop(&sweep->running);
	} else if (any) {
		sweep->coming = SWEEP_START;
		sweep->who = sweep->next++;
	} else {
		sweep->coming = SWEEP_OVER;
	}
}

/* ---- time ---- */

/* Skips what is not selected up to `to`; the end of the stretch that is, now_ns if there is none.
 */
static uint64_t selected_until(struct sweep *sweep, uint64_t to)
{
	const struct select *select = sweep->scope.select;

	for (; select && sweep->at_span < select->n; sweep->at_span++) {
		const struct select_span *span = &select->span[sweep->at_span];

		if (span->from_ns >= to)
			break;
		if (sweep->now_ns < span->from_ns)
			sweep->now_ns = span->from_ns;
		sweep->row = span->row;
		if (sweep->now_ns < span->to_ns)
			return at_most(to, span->to_ns);
	}
	if (select && sweep->now_ns < to)
		sweep->now_ns = to;
	return to;
}

/* Looks where the ready path is from now on, and until when: it changes only where strands do. */
static void follow_path(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	const struct ready_path *path = sweep->path;
	uint64_t now = sweep->now_ns;

	while (sweep->at_path + 1 < path->n && dag_end(dag, path->strand[sweep->at_path]) <= now)
		sweep->at_path++;
	sweep->on_path = path->strand[sweep->at_path];
	sweep->path_state = PATH_OUTSIDE;
	sweep->path_until_ns = dag_start(dag, sweep->on_path);
	if (sweep->path_until_ns > now) {
		sweep->path_state = sweep->at_path > 0 ? PATH_READY : PATH_OUTSIDE;
		return;
	}
	sweep->path_until_ns = dag_end(dag, sweep->on_path);
	if (sweep->path_until_ns > now)
		sweep->path_state = PATH_RUNS;
	else
		sweep->path_until_ns = UINT64_MAX; /* all of the path is over */
}

/* So many of the free workers are in that state, if `left` are left; how many are then. */
static inline uint64_t count_state(struct sweep *sweep, enum state state, uint64_t left)
{
	sweep->n_in[state] = at_most(left, sweep->workers.n[state]);
	return left - sweep->n_in[state];
}

/*
 * What the free workers are in.  Where more were seen than P, fewer count than are free: those
 * that are held first, then the blocked ones, then those in the runtime.
 */
static void count_states(struct sweep *sweep)
{
	uint64_t left = count_state(sweep, STATE_TRACER, sweep->q);

	left = count_state(sweep, STATE_BLOCKED, left);
	sweep->n_in[STATE_IDLE] = count_state(sweep, STATE_RUNTIME, left);
}

/* Passes time up to what happens next, or to where the selection begins or ends. */
static bool pass_time(struct sweep *sweep)
{
	uint64_t to = at_most(sweep->until_ns, workers_until(&sweep->workers));

	sweep->now_ns += sweep->ns;
	sweep->ns = 0;
	if (sweep->now_ns >= to)
		return false;
	to = selected_until(sweep, to);
	if (sweep->now_ns >= to)
		return false;
	sweep->ns = to - sweep->now_ns;
	sweep->q = sweep->scope.n_workers - sweep->p - sweep->mixture.n_members;
	count_states(sweep);
	if (sweep->now_ns >= sweep->path_until_ns)
		follow_path(sweep);
	if (sweep->mixture.n_members) {
		bool collapsed =
			sweep->path_state == PATH_RUNS && dag_collapsed(sweep->dag, sweep->on_path);

		mixture_on_path(&sweep->mixture, sweep->dag,
				collapsed ? sweep->on_path : STRAND_NONE);
	}
	return true;
}

/* ---- strands ---- */

static void start(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	strand_id s = sweep->strand, direct;

	running_push(&sweep->running, s);
	if (!sweep->counts) {
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
		sweep->r--;
		if (select_has(sweep->scope.select, dag_start(dag, s), dag_start(dag, s)))
			sweep->n_moves[released_move_by(dag, s, direct, sweep->edge)]++;
	}
	if (!dag_collapsed(dag, s))
		sweep->p++;
	else if (mixture_add(&sweep->mixture, dag, s) < 0)
		sweep->error = -ENOMEM;
}

static void end(struct sweep *sweep)
{
	strand_id s = sweep->strand;

	sweep->n_released = released_by(sweep->released, s);
	sweep->r += sweep->n_released;
	if (!sweep->counts)
		return;
	workers_end(&sweep->workers, sweep->dag->strand[s].worker, sweep->scope.pauses->after[s]);
	if (dag_collapsed(sweep->dag, s))
		mixture_remove(&sweep->mixture, sweep->dag, s);
	else
		sweep->p--;
}

enum sweep_what sweep_next(struct sweep *sweep)
{
	enum sweep_what what = sweep->coming;

	if (pass_time(sweep))
		return SWEEP_TIME;
	if (workers_until(&sweep->workers) <= sweep->until_ns) {
		sweep->worker = workers_turn(&sweep->workers);
		return SWEEP_TURN;
	}
	if (what == SWEEP_OVER)
		return SWEEP_OVER;
	sweep->strand = sweep->who;
	sweep->counts = sweep_covers(&sweep->scope, sweep->dag, sweep->who);
	if (what == SWEEP_START)
		start(sweep);
	else
		end(sweep);
	look_ahead(sweep);
	return sweep->error ? SWEEP_OVER : what;
}

/* ---- open and close ---- */

struct sweep_scope sweep_all(const struct dag *dag, const struct pauses *pauses,
			     const struct select *select)
{
	return (struct sweep_scope){ RUNTIMES_ALL, dag->n_workers, dag->n_seen, pauses, select };
}

struct sweep_scope sweep_runtime(const struct dag *dag, uint32_t runtime,
				 const struct pauses *pauses, const struct select *select)
{
	const struct dag_runtime *facts = &dag->runtime[runtime];

	return (struct sweep_scope){ (uint16_t)(1u << runtime), facts->n_workers, facts->n_seen,
				     pauses, select };
}

int sweep_open(struct sweep *sweep, const struct dag *dag, const struct ready_path *path,
	       const struct sweep_scope *scope)
{
	int error;

	*sweep = (struct sweep){
		.dag = dag, .path = path, .scope = *scope, .mixture = { .on_path = STRAND_NONE }
	};
	sweep->n_idlers = scope->n_workers > scope->n_seen ? scope->n_workers : scope->n_seen;
	error = running_open(&sweep->running, dag);
	if (error)
		goto out;
	error = workers_open(&sweep->workers, dag, scope->pauses, scope->runtimes);
	if (error)
		goto out;
	sweep->released = &scope->pauses->released;
	if (scope->runtimes != RUNTIMES_ALL) {
		error = released_count(&sweep->own, dag, scope->runtimes);
		sweep->released = &sweep->own;
	}
	if (error)
		goto out;
	look_ahead(sweep);
out:
	if (error)
		sweep_close(sweep);
	return error;
}

void sweep_close(struct sweep *sweep)
{
	running_close(&sweep->running);
	workers_close(&sweep->workers);
	released_free(&sweep->own);
	mixture_free(&sweep->mixture);
	*sweep = (struct sweep){ 0 };
}
