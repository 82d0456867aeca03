/* SPDX-License-Identifier: MIT */
/* sweep.c - opens a sweep, and does what few of its steps need: sweep_step.h has the steps. */
#include "tools/analysis/sweep.h"

#include "tools/analysis/sweep_step.h"

/* Skips what is not selected up to `to`; the end of the stretch that is, now_ns if there is none.
 */
uint64_t sweep_selected_until(struct sweep *sweep, uint64_t to)
{
	const struct select *select = sweep->scope.select;

	for (; sweep->at_span < select->n; sweep->at_span++) {
		const struct select_span *span = &select->span[sweep->at_span];

		if (span->from_ns >= to)
			break;
		if (sweep->now_ns < span->from_ns)
			sweep->now_ns = span->from_ns;
		sweep->row = span->row;
		if (sweep->now_ns < span->to_ns)
			return at_most(to, span->to_ns);
	}
	if (sweep->now_ns < to)
		sweep->now_ns = to;
	return to;
}

/* Looks where the ready path is from now on, and until when: it changes only where strands do. */
void sweep_follow_path(struct sweep *sweep)
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
		if (sweep->at_path > 0 && !released_outside(dag, sweep->on_path))
			sweep->path_state = PATH_READY;
		return;
	}
	sweep->path_until_ns = dag_end(dag, sweep->on_path);
	if (sweep->path_until_ns > now)
		sweep->path_state = PATH_RUNS;
	else
		sweep->path_until_ns = UINT64_MAX; /* all of the path is over */
}

/* What the collapsed tasks that run, and the one on the path, are in now. */
void sweep_mix(struct sweep *sweep)
{
	bool collapsed =
		sweep->path_state == PATH_RUNS && dag_collapsed(sweep->dag, sweep->on_path);

	mixture_on_path(&sweep->mixture, sweep->dag, collapsed ? sweep->on_path : STRAND_NONE);
}

enum sweep_what sweep_next(struct sweep *sweep)
{
	return sweep_step_of(sweep, false);
}

/* ---- open and close ---- */

struct sweep_scope sweep_all(const struct dag *dag, const struct pauses *pauses,
			     const struct select *select)
{
	return (struct sweep_scope){
		RUNTIMES_ALL, dag->n_workers, dag->n_seen, pauses, select, NULL
	};
}

struct sweep_scope sweep_runtime(const struct dag *dag, uint32_t runtime,
				 const struct pauses *pauses, const struct select *select)
{
	const struct dag_runtime *facts = &dag->runtime[runtime];

	return (struct sweep_scope){
		(uint16_t)(1u << runtime), facts->n_workers, facts->n_seen, pauses, select, NULL
	};
}

void sweep_open(struct sweep *sweep, const struct dag *dag, const struct ready_path *path,
		const struct sweep_scope *scope)
{
	*sweep = (struct sweep){
		.dag = dag,
		.path = path,
		.scope = *scope,
		.mixture = { .tracer = &scope->pauses->tracer, .on_path = STRAND_NONE },
	};
	sweep->plain = !scope->select && scope->runtimes == RUNTIMES_ALL && dag->n_collapsed == 0 &&
		       dag->n_beside == 0;
	sweep->n_idlers = scope->n_workers > scope->n_seen ? scope->n_workers : scope->n_seen;
	running_open(&sweep->running, dag);
	workers_open(&sweep->workers, dag, scope->pauses, scope->runtimes);
	sweep->released = &scope->pauses->released;
	if (scope->runtimes != RUNTIMES_ALL) {
		released_count(&sweep->own, dag, scope->runtimes);
		sweep->released = &sweep->own;
	}
	sweep_pass_nodes(sweep);
	sweep_look_ahead(sweep);
}

void sweep_close(struct sweep *sweep)
{
	running_close(&sweep->running);
	workers_close(&sweep->workers);
	released_free(&sweep->own);
	mixture_free(&sweep->mixture);
	*sweep = (struct sweep){ 0 };
}
