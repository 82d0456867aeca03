/* SPDX-License-Identifier: MIT */
/*
 * breakdown.c - charges each step of a sweep.
 *
 * What a strand is charged with for a while it was ready, and a worker for one it was idle, are
 * differences of integrals (shares.h); so no list of ready strands is ever walked.  While workers
 * run collapsed tasks, what is charged are expectations (expected.h).
 */
#include "tools/analysis/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "tools/analysis/apportion.h"
#include "tools/analysis/blame.h"
#include "tools/analysis/crossed.h"
#include "tools/analysis/expected.h"
#include "tools/analysis/shares.h"
#include "tools/analysis/sweep_step.h"
#include "tools/base/xalloc.h"

struct charging {
	const struct sweep *sweep;
	struct breakdown *out;
	struct shares shares;
	struct blaming blaming;
	struct charge_bins *bins; /* NULL: not wanted */
	bool swept;		  /* there is a ready path */
};

/* ---- time ---- */

SWEEP_INLINE void pass_path(struct breakdown *out, const struct sweep *sweep)
{
	if (sweep->path_state == PATH_READY)
		*(sweep->q ? &out->path_scheduler_delay_ns : &out->path_busy_delay_ns) += sweep->ns;
	else if (sweep->path_state == PATH_RUNS)
		out->path_work_ns += sweep->ns;
}

/* n workers are in that state, and so many of them are charged with ready strands. */
SWEEP_INLINE struct charge charge_state(struct charging *charging, enum state state,
					uint64_t delayed)
{
	const struct sweep *sweep = charging->sweep;
	uint64_t n = sweep->workers.n[state]; /* who share: more than P may have been seen */
	struct idle_share *share = &charging->blaming.in[state];
	uint64_t no_work_ns = (sweep->n_in[state] - delayed) * sweep->ns;
	uint64_t sched_ns = sweep->path_state == PATH_READY ? no_work_ns : 0;
	struct charge charge = { .delay_ns = delayed * sweep->ns,
				 .no_work_sched_ns = sched_ns,
				 .no_work_app_ns = no_work_ns - sched_ns };

	charge_add(&charging->out->state[state], &charge);
	if (n && state_is_blamed(state)) {
		share->delay += share_of(charge.delay_ns, n);
		share->sched += share_of(charge.no_work_sched_ns, n);
		share->app += share_of(charge.no_work_app_ns, n);
	}
	if (state == STATE_IDLE)
		charging->out->in_state[dag_kind(sweep->dag, sweep->on_path)].ns[STATE_IDLE] +=
			no_work_ns;
	return charge;
}

SWEEP_INLINE void charge_plain(struct charging *charging)
{
	const struct sweep *sweep = charging->sweep;
	struct breakdown *out = charging->out;
	struct charge *kind;
	struct charge all = { .work_ns = sweep->ns * (sweep->p + sweep->filled) };
	uint64_t n_idle = sweep->n_idlers - sweep->p, left = sweep->r;

	pass_path(out, sweep);
	if (!sweep->q) { /* no worker is free */
		out->total.work_ns += all.work_ns;
		return;
	}
#pragma GCC unroll 6
	for (size_t i = 0; i < STATES_FREE; i++) {
		enum state state = states_charged[i];
		uint64_t delayed = sweep->n_in[state] < left ? sweep->n_in[state] : left;
		struct charge charge;

		if (!sweep->n_in[state])
			continue;
		charge = charge_state(charging, state, delayed);
		left -= delayed;
		charge_add(&all, &charge);
		if (state == STATE_IDLE && sweep->r)
			charging->shares.starved += share_of(charge.delay_ns, sweep->r);
	}
	charge_add(&out->total, &all);
	kind = &out->kind[dag_kind(sweep->dag, sweep->on_path)];
	kind->no_work_sched_ns += all.no_work_sched_ns;
	kind->no_work_app_ns += all.no_work_app_ns;
	if (sweep->r)
		charging->shares.ready += share_of(all.delay_ns, sweep->r);
	if (n_idle) {
		charging->shares.idle.delay += share_of(all.delay_ns, n_idle);
		charging->shares.idle.sched += share_of(all.no_work_sched_ns, n_idle);
		charging->shares.idle.app += share_of(all.no_work_app_ns, n_idle);
	}
}

static void add_difference(struct charge *row, const struct charge *now,
			   const struct charge *before)
{
	row->work_ns += now->work_ns - before->work_ns;
	row->delay_ns += now->delay_ns - before->delay_ns;
	row->no_work_sched_ns += now->no_work_sched_ns - before->no_work_sched_ns;
	row->no_work_app_ns += now->no_work_app_ns - before->no_work_app_ns;
}

SWEEP_INLINE void charge_plain_time(struct charging *charging)
{
	const struct sweep *sweep = charging->sweep;
	struct charge_bins *bins = charging->bins;
	uint64_t to_ns = sweep->now_ns + sweep->ns;
	struct charge before;

	if (!bins || to_ns < bins->next_ns) { /* nearly always */
		charge_plain(charging);
		return;
	}
	before = charging->out->total;
	charge_plain(charging);
	charge_bins_pass(bins, sweep->now_ns, to_ns, &before, &charging->out->total);
}

SWEEP_INLINE void charge_time(struct charging *charging, bool plain)
{
	const struct sweep *sweep = charging->sweep;
	struct breakdown *out = charging->out;
	struct charge before = { 0 };

	if (plain) {
		charge_plain_time(charging);
		course_add(&out->course, sweep, true);
		return;
	}
	if (out->row)
		before = out->total;
	if (sweep->filled) {
		charging->shares.beside_ns += sweep->filled * sweep->ns;
		charging->shares.beside += share_of(sweep->filled * sweep->ns, sweep->n_beside);
	}
	if (sweep->mixture.n_members)
		expected_charge(sweep, out, &charging->shares, &charging->blaming);
	else
		charge_plain(charging);
	if (out->row)
		add_difference(&out->row[sweep->row], &out->total, &before);
	course_add(&out->course, sweep, false);
}

/* ---- strands ---- */

/* What of a collapsed strand's work is selected, and how much of that is its task's own.  As the
 * steps of time have it (expected.c): differences of what was worked up to an instant. */
static void work_within(const struct select *select, const struct dag *dag, strand_id s,
			uint64_t *work, uint64_t *own)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);
	uint64_t start = dag_start(dag, s), end = dag_end(dag, s);

	*work = *own = 0;
	for (uint32_t i = select_first(select, start); i < select->n; i++) {
		const struct select_span *span = &select->span[i];
		uint64_t from = span->from_ns > start ? span->from_ns : start;
		uint64_t to = span->to_ns < end ? span->to_ns : end;
		uint64_t at[2];

		if (from >= to)
			break;
		at[0] = dag_work_until(dag, s, from - start);
		at[1] = dag_work_until(dag, s, to - start);
		*work += at[1] - at[0];
		for (int k = 0; k < 2; k++)
			at[k] = (uint64_t)((unsigned __int128)at[k] * collapsed->own_ns /
					   (collapsed->work_ns ? collapsed->work_ns : 1));
		*own += at[1] - at[0];
	}
}

/* The strand that ends: its work belongs to its kind and worker. */
SWEEP_INLINE void charge_work(struct charging *charging, bool plain)
{
	const struct sweep *sweep = charging->sweep;
	const struct select *select = plain ? NULL : sweep->scope.select;
	const struct dag *dag = sweep->dag;
	struct breakdown *out = charging->out;
	strand_id s = sweep->strand;
	const struct collapsed *collapsed = plain ? NULL : dag_collapsed(dag, s);
	uint64_t work, own;

	if (!plain && dag->beside[dag->strand[s].worker])
		return; /* what it filled is shared out */
	if (collapsed && select) {
		work_within(select, dag, s, &work, &own);
	} else if (collapsed) {
		work = collapsed->work_ns;
		own = collapsed->own_ns;
	} else {
		work = own = select_within(select, dag_start(dag, s), dag_end(dag, s));
	}
	out->kind[dag_kind(dag, s)].work_ns += own;
	charging->shares.collapsed_work += work - own;
	out->worker[dag->strand[s].worker].work_ns += work;
}

SWEEP_INLINE void charge_steps(struct charging *charging, struct sweep *sweep, bool plain)
{
	enum sweep_what what;

	while ((what = sweep_step_of(sweep, plain)) != SWEEP_OVER) {
		if (what == SWEEP_TIME) {
			charge_time(charging, plain);
		} else if (what == SWEEP_TURN) {
			blame_turn(&charging->blaming, sweep);
		} else if (what == SWEEP_START) {
			shares_start(&charging->shares, sweep);
			blame_start(&charging->blaming, sweep);
		} else {
			shares_end(&charging->shares, sweep);
			blame_end(&charging->blaming, sweep);
			if (plain || sweep->counts)
				charge_work(charging, plain);
		}
	}
}

static void charge_all(struct charging *charging, struct sweep *sweep)
{
	if (sweep->plain)
		charge_steps(charging, sweep, true);
	else
		charge_steps(charging, sweep, false);
}

/* ---- all of it ---- */

static void settle_shares(struct shares *shares, const struct dag *dag,
			  const struct sweep_scope *scope, struct breakdown *out)
{
	uint32_t n_idlers = scope->n_workers > scope->n_seen ? scope->n_workers : scope->n_seen;
	uint8_t *seen = xcalloc(dag->n_slots + 1ull, 1);
	uint32_t n_left = scope->n_seen;

	for (strand_id s = 0; s < dag->n_strands && n_left; s++) {
		uint16_t worker = dag->strand[s].worker;

		if (dag_is_node(dag, s) || seen[worker] || dag->beside[worker] ||
		    !sweep_covers(scope, dag, s))
			continue;
		seen[worker] = 1;
		n_left--;
	}
	shares_settle(shares, out, seen, n_idlers - scope->n_seen);
	free(seen);
}

static void settle_tracer(const struct dag *dag, const struct sweep_scope *scope,
			  struct breakdown *out)
{
	uint64_t *by_kind = xcalloc(2 * (dag->n_kinds + 1ull), sizeof(*by_kind));
	uint64_t *part = by_kind + dag->n_kinds + 1;

	tracer_by_kind(&scope->pauses->tracer, dag, scope->runtimes, scope->select, by_kind);
	apportion(charge_sum(&out->state[STATE_TRACER]), by_kind, dag->n_kinds, part);
	for (kind_id k = 0; k < dag->n_kinds; k++)
		out->in_state[k].ns[STATE_TRACER] = part[k];
	free(by_kind);
}

/* None of its tasks ever began. */
static void charge_all_to_app(struct breakdown *out, const struct dag *dag,
			      const struct sweep_scope *scope)
{
	const struct select *select = scope->select;
	uint64_t elapsed_ns = select ? select->total_ns : dag->elapsed_ns;

	out->total.no_work_app_ns = elapsed_ns * scope->n_workers;
	out->state[STATE_IDLE] = out->total;
	for (uint32_t i = 0; select && i < select->n; i++)
		out->row[select->span[i].row].no_work_app_ns +=
			(select->span[i].to_ns - select->span[i].from_ns) * scope->n_workers;
}

static void open_rows(struct breakdown *breakdown, const struct dag *dag,
		      const struct select *select)
{
	uint64_t n = dag->n_kinds + 1ull;

	*breakdown = (struct breakdown){ 0 };
	breakdown->kind = xcalloc(n, sizeof(*breakdown->kind));
	breakdown->in_state = xcalloc(n, sizeof(*breakdown->in_state));
	breakdown->worker = xcalloc(dag->n_slots + 1ull, sizeof(*breakdown->worker));
	if (select)
		breakdown->row = xcalloc(select->n_rows + 1ull, sizeof(*breakdown->row));
}

/* Shares become ns. */
static void settle(struct charging *charging, const struct dag *dag,
		   const struct sweep_scope *scope)
{
	struct breakdown *out = charging->out;

	out->state[STATE_RUNNING].work_ns = out->total.work_ns;
	settle_shares(&charging->shares, dag, scope, out);
	blame_settle(&charging->blaming, charging->sweep, out);
	settle_tracer(dag, scope, out);
}

/* What was charged so far, in the kinds of `dag`, of which those of `crossed` are. */
static void join_rows(struct breakdown *joined, const struct breakdown *crossed, uint32_t n_crossed,
		      const struct select *select, const struct dag *dag, const kind_id *kind_of)
{
	struct breakdown own;

	open_rows(&own, dag, select);

	*joined = *crossed;
	joined->kind = own.kind;
	joined->in_state = own.in_state;
	joined->worker = own.worker;
	joined->row = own.row;
	joined->course.cell = NULL;
	course_copy(&joined->course, &crossed->course);
	for (kind_id k = 0; k < n_crossed; k++) {
		charge_add(&joined->kind[kind_of[k]], &crossed->kind[k]);
		state_times_add(&joined->in_state[kind_of[k]], &crossed->in_state[k]);
	}
	memcpy(joined->worker, crossed->worker, (dag->n_slots + 1ull) * sizeof(*joined->worker));
	if (select)
		memcpy(joined->row, crossed->row, (select->n_rows + 1ull) * sizeof(*joined->row));
}

/* Settles it for the kinds of one of the crossed graphs. */
static void settle_crossed(const struct charging *charging, const struct sweep_scope *scope,
			   const struct breakdown_of *of, const kind_id *kind_of)
{
	struct charging own = *charging;

	own.out = of->out;
	own.shares = (struct shares){ 0 };
	own.blaming = (struct blaming){ 0 };
	join_rows(own.out, charging->out, charging->shares.dag->n_kinds, scope->select, of->dag,
		  kind_of);
	shares_join(&own.shares, &charging->shares, of->dag, kind_of);
	blame_join(&own.blaming, &charging->blaming, of->dag, kind_of);
	settle(&own, of->dag, scope);
	shares_close(&own.shares);
	blame_close(&own.blaming);
}

/* Of a sweep of graphs of which the kinds are crossed. */
struct crossing {
	const struct crossed *crossed;
	const struct breakdown_of *of;
	uint32_t n;
};

static void settle_each(const struct charging *charging, const struct sweep_scope *scope,
			const struct crossing *crossing)
{
	for (uint32_t i = 0; i < crossing->n; i++)
		settle_crossed(charging, scope, &crossing->of[i], crossing->crossed->kind_of[i]);
}

/*
 * `crossing`: NULL, or what is to be settled instead.  Each step writes to the breakdown, so it is
 * on this thread's stack until the end: others read what lies beside *breakdown.
 */
static void build(struct breakdown *breakdown, const struct dag *dag, const struct ready_path *path,
		  const struct sweep_scope *scope, const struct crossing *crossing)
{
	struct sweep sweep = { 0 };
	struct breakdown own;
	struct charging charging = { .sweep = &sweep, .out = &own, .swept = path->n > 0 };
	bool binned;

	open_rows(&own, dag, scope->select);
	course_open(&own.course, dag->elapsed_ns, scope->select);
	shares_open(&charging.shares, dag);
	blame_open(&charging.blaming, dag);
	if (charging.swept)
		sweep_open(&sweep, dag, path, scope);
	binned = scope->bins && sweep.plain;
	charging.bins = binned ? scope->bins : NULL;
	if (scope->bins && !binned)
		charge_bins_free(scope->bins);
	if (charging.swept) {
		charge_all(&charging, &sweep);
		memcpy(own.n_moves, sweep.n_moves, sizeof(sweep.n_moves));
	} else {
		charge_all_to_app(&own, dag, scope);
	}
	if (binned)
		charge_bins_end(scope->bins, &own.total);
	if (crossing)
		settle_each(&charging, scope, crossing);
	else
		settle(&charging, dag, scope);
	sweep_close(&sweep);
	shares_close(&charging.shares);
	blame_close(&charging.blaming);
	*breakdown = own;
}

void breakdown_build(struct breakdown *breakdown, const struct dag *dag,
		     const struct ready_path *path, const struct pauses *pauses,
		     const struct select *select)
{
	const struct breakdown_of of = { dag, breakdown };

	breakdown_build_all(&of, 1, path, pauses, select, NULL);
}

void breakdown_build_all(const struct breakdown_of *of, uint32_t n, const struct ready_path *path,
			 const struct pauses *pauses, const struct select *select,
			 struct charge_bins *bins)
{
	const struct dag *dag[CROSSED_MOST];
	struct crossed crossed;
	struct crossing crossing = { &crossed, of, n };
	struct breakdown breakdown;
	struct sweep_scope scope;

	for (uint32_t i = 0; i < n; i++) {
		*of[i].out = (struct breakdown){ 0 };
		dag[i] = of[i].dag;
	}
	scope = sweep_all(of->dag, pauses, select);
	scope.bins = bins;
	if (n == 1) {
		build(of->out, of->dag, path, &scope, NULL);
		return;
	}
	crossed_build(&crossed, dag, n);
	build(&breakdown, &crossed.dag, path, &scope, &crossing);
	breakdown_free(&breakdown);
	crossed_free(&crossed);
}

void breakdown_build_of(struct breakdown *breakdown, const struct dag *dag, uint32_t runtime,
			const struct pauses *pauses, const struct select *select)
{
	struct sweep_scope scope = sweep_runtime(dag, runtime, pauses, select);
	struct ready_path path = { 0 };

	ready_path_build(&path, dag, scope.runtimes);

	build(breakdown, dag, &path, &scope, NULL);
	ready_path_free(&path);
}

void breakdown_free(struct breakdown *breakdown)
{
	free(breakdown->kind);
	course_free(&breakdown->course);
	free(breakdown->in_state);
	free(breakdown->worker);
	free(breakdown->row);
	*breakdown = (struct breakdown){ 0 };
}

void breakdown_whole(struct breakdown *breakdown, const struct dag *dag)
{
	struct ready_path path = { 0 };
	struct pauses pauses = { 0 };

	ready_path_build(&path, dag, RUNTIMES_ALL);
	pauses_find(&pauses, dag);

	breakdown_build(breakdown, dag, &path, &pauses, NULL);
	pauses_free(&pauses);
	ready_path_free(&path);
}
