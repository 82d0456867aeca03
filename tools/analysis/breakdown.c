/* SPDX-License-Identifier: MIT */
/*
 * breakdown.c - one sweep over time.
 *
 * Starts come in the order of the strands; ends from a heap of what runs.  What a strand is
 * charged with for a while it was ready is F(start) - F(ready), where F integrates what one
 * ready strand gets at each instant; so no list of ready strands is ever walked.
 *
 * While workers run hidden tasks, what is integrated are expectations (mixture.h): no-work and work
 * are rounded as they come, and delay is the rest of elapsed x P.  In the end work is made exact.
 */
#include "tools/analysis/breakdown.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/analysis/apportion.h"
#include "tools/analysis/mixture.h"
#include "tools/analysis/released.h"
#include "tools/analysis/shares.h"
#include "tools/dag/running.h"

/* Of what and of when. */
struct scope {
	uint16_t runtimes;	    /* bits: strands of others neither run nor are ready */
	uint32_t n_workers, n_seen; /* P, and workers that were seen, which may be more */
	const struct tracer *tracer;
	const struct select *select;
};

struct sweep {
	const struct dag *dag;
	const struct path *path;
	struct breakdown *out;
	struct scope scope;
	uint32_t at_span; /* of the selection: the one that holds `now`, or the next */
	uint32_t n_rows;  /* workers that share idle time: P, or those seen, if more */
	uint64_t now;
	uint64_t p, r;		/* running and ready strands */
	uint64_t ready_share;	/* F of a ready strand */
	uint32_t *share_at_end; /* F >> coarse when the strand ended */
	struct shares shares;
	uint32_t hint; /* dag_extras()'s */
	struct released released;
	struct running running;
	uint32_t at_path; /* path->strand[at_path] is running, ready, or the first and to come */
	struct tracer_clock clock;

	struct mixture mixture;	  /* of hidden tasks */
	uint64_t work;		  /* of all that ended */
	uint64_t over_ns;	  /* so much more than there was time for was charged, by rounding */
	struct idle_share *began; /* by worker: F of an idle one when its task began */
	struct {
		double work, sched, app, path_work, path_scheduler, path_busy;
		double held_sched, held_app;
	} rest; /* what rounding left of them */
	bool no_memory;
};

static bool counts(const struct sweep *sweep, strand_id s)
{
	return sweep->scope.runtimes == PATH_ALL ||
	       dag_runtimes(sweep->dag, s) & sweep->scope.runtimes;
}

/* ---- time ---- */

enum path_state { PATH_OUTSIDE, PATH_RUNS, PATH_READY };

/* The strand of the ready path in the interval that begins now: it changes only where strands do.
 */
static strand_id on_path(struct sweep *sweep, enum path_state *state)
{
	const struct dag *dag = sweep->dag;
	const struct path *path = sweep->path;

	while (sweep->at_path + 1 < path->n &&
	       dag_end(dag, path->strand[sweep->at_path]) <= sweep->now)
		sweep->at_path++;
	strand_id s = path->strand[sweep->at_path];

	*state = PATH_OUTSIDE;
	if (dag_start(dag, s) > sweep->now)
		*state = sweep->at_path > 0 ? PATH_READY : PATH_OUTSIDE;
	else if (dag_end(dag, s) > sweep->now)
		*state = PATH_RUNS;
	return s;
}

/* no_work, of which so much is of workers that the recorder held. */
static void charge_no_work(struct sweep *sweep, uint64_t dt, uint64_t no_work, uint64_t held)
{
	struct breakdown *out = sweep->out;
	struct charge *tracer = &out->state[STATE_TRACER];
	uint64_t q = sweep->scope.n_workers - sweep->p, n_idle = sweep->n_rows - sweep->p;
	enum path_state state;
	strand_id s = on_path(sweep, &state);
	struct charge *kind = &out->kind[dag_kind(sweep->dag, s)];

	if (state == PATH_READY) {
		*(q ? &out->path_scheduler_delay_ns : &out->path_busy_delay_ns) += dt;
		kind->no_work_sched_ns += no_work;
		out->total.no_work_sched_ns += no_work;
		tracer->no_work_sched_ns += held;
		if (n_idle)
			sweep->shares.idle.sched += share_of(no_work, n_idle);
		return;
	}
	if (state == PATH_RUNS)
		out->path_work_ns += dt;
	kind->no_work_app_ns += no_work;
	out->total.no_work_app_ns += no_work;
	tracer->no_work_app_ns += held;
	if (n_idle)
		sweep->shares.idle.app += share_of(no_work, n_idle);
}

/* ---- hidden tasks ---- */

/* Where the ready path is, while it runs a hidden task or anything else. */
static void pass_path(struct sweep *sweep, const struct mixture_rates *rates, double dt,
		      enum path_state state, bool hidden)
{
	struct breakdown *out = sweep->out;
	double work = state == PATH_RUNS ? 1 : 0, scheduler = 0, busy = 0;

	if (state == PATH_RUNS && hidden) {
		work = rates->path_work;
		scheduler = rates->path_scheduler;
		busy = rates->path_busy;
	} else if (state == PATH_READY) {
		scheduler = rates->starved;
		busy = 1 - rates->starved;
	}
	out->path_work_ns += share_rounded(dt * work, &sweep->rest.path_work);
	out->path_scheduler_delay_ns += share_rounded(dt * scheduler, &sweep->rest.path_scheduler);
	out->path_busy_delay_ns += share_rounded(dt * busy, &sweep->rest.path_busy);
}

/* What an interval with hidden tasks comes to. */
struct expected {
	double sched, app;	     /* no-work: workers */
	double held_sched, held_app; /* of which the recorder holds so many */
	uint64_t work_ns, delay_ns, sched_ns, app_ns;
};

static double not_less(double least, double value)
{
	return value > least ? value : least;
}

/* No-work is the scheduler's while the ready path is ready. */
static void split_no_work(struct expected *expected, const struct mixture_rates *rates,
			  enum path_state state, bool hidden)
{
	if (state == PATH_READY) {
		expected->sched = rates->no_work;
		expected->held_sched = rates->held;
	} else if (state == PATH_RUNS && hidden) {
		expected->sched = rates->sched;
		expected->held_sched = rates->held_sched;
	}
	expected->app = not_less(0, rates->no_work - expected->sched);
	expected->held_app = not_less(0, rates->held - expected->held_sched);
}

static uint64_t at_most(uint64_t most, uint64_t value)
{
	return value < most ? value : most;
}

static void charge_held(struct sweep *sweep, const struct expected *expected, uint64_t ns,
			uint64_t n_held)
{
	struct charge *tracer = &sweep->out->state[STATE_TRACER];
	double dt = (double)ns;
	uint64_t sched_ns = share_rounded(dt * expected->held_sched, &sweep->rest.held_sched);
	uint64_t app_ns = share_rounded(dt * expected->held_app, &sweep->rest.held_app);

	sched_ns = at_most(expected->sched_ns, sched_ns);
	app_ns = at_most(expected->app_ns, app_ns);
	uint64_t left = n_held * ns > sched_ns + app_ns ? n_held * ns - sched_ns - app_ns : 0;

	tracer->no_work_sched_ns += sched_ns;
	tracer->no_work_app_ns += app_ns;
	tracer->delay_ns += at_most(expected->delay_ns, left);
}

static void share_hidden(struct sweep *sweep, const struct mixture_rates *rates,
			 const struct expected *expected, double dt)
{
	struct shares *shares = &sweep->shares;
	const struct mixture *mixture = &sweep->mixture;
	double n_idle = (double)(sweep->n_rows - sweep->p - mixture->n_members) + mixture->idle;

	sweep->ready_share += share_scaled(dt * rates->share);
	if (n_idle > 0) {
		shares->idle.delay += share_scaled(dt * rates->delay / n_idle);
		shares->idle.sched += share_scaled(dt * expected->sched / n_idle);
		shares->idle.app += share_scaled(dt * expected->app / n_idle);
	}
	for (int e = 0; e < EDGE_KINDS; e++) {
		uint64_t share = share_scaled(dt * rates->edge[e]) >> shares->coarse;

		shares->edge[e] += share;
		shares->hidden += share;
	}
}

static void pass_hidden(struct sweep *sweep, uint64_t ns)
{
	const struct dag *dag = sweep->dag;
	struct mixture *mixture = &sweep->mixture;
	struct charge *total = &sweep->out->total;
	uint64_t q_else = sweep->scope.n_workers - sweep->p - mixture->n_members;
	uint64_t n_held = at_most(q_else, sweep->clock.n_held);
	double dt = (double)ns;
	struct mixture_rates rates;
	struct expected expected = { 0 };
	enum path_state state;
	strand_id s = on_path(sweep, &state);
	bool hidden = state == PATH_RUNS && dag_hidden(dag, s);
	struct charge *kind = &sweep->out->kind[dag_kind(dag, s)];

	mixture_on_path(mixture, dag, hidden ? s : STRAND_NONE);
	mixture_rates(mixture, q_else, sweep->r, n_held, &rates);
	pass_path(sweep, &rates, dt, state, hidden);
	split_no_work(&expected, &rates, state, hidden);
	expected.sched_ns = share_rounded(dt * expected.sched, &sweep->rest.sched);
	expected.app_ns = share_rounded(dt * expected.app, &sweep->rest.app);
	expected.work_ns = sweep->p * ns + share_rounded(dt * (mixture->n_members - mixture->idle),
							 &sweep->rest.work);

	uint64_t no_delay_ns = expected.work_ns + expected.sched_ns + expected.app_ns;
	uint64_t all_ns = ns * sweep->scope.n_workers;

	expected.delay_ns = all_ns > no_delay_ns ? all_ns - no_delay_ns : 0;
	sweep->over_ns += no_delay_ns > all_ns ? no_delay_ns - all_ns : 0;
	total->work_ns += expected.work_ns;
	total->delay_ns += expected.delay_ns;
	total->no_work_sched_ns += expected.sched_ns;
	total->no_work_app_ns += expected.app_ns;
	kind->no_work_sched_ns += expected.sched_ns;
	kind->no_work_app_ns += expected.app_ns;
	if (n_held)
		charge_held(sweep, &expected, ns, n_held);
	share_hidden(sweep, &rates, &expected, dt);
}

static void pass_plain(struct sweep *sweep, uint64_t dt)
{
	struct breakdown *out = sweep->out;
	uint64_t q = sweep->scope.n_workers - sweep->p, n_idle = sweep->n_rows - sweep->p;
	uint64_t delayed = at_most(q, sweep->r);
	uint64_t n_held = at_most(q, sweep->clock.n_held);
	uint64_t held_no_work = states_held_no_work(n_held, q - delayed);

	out->total.work_ns += dt * sweep->p;
	out->total.delay_ns += dt * delayed;
	out->state[STATE_TRACER].delay_ns += dt * (n_held - held_no_work);
	if (sweep->r)
		sweep->ready_share += share_of(dt * delayed, sweep->r);
	if (n_idle)
		sweep->shares.idle.delay += share_of(dt * delayed, n_idle);
	charge_no_work(sweep, dt, dt * (q - delayed), dt * held_no_work);
}

/* Nothing starts or ends before `to`, and all of that time is selected. */
static void pass(struct sweep *sweep, uint64_t to)
{
	while (sweep->now < to) {
		uint64_t next = at_most(to, tracer_clock_turn(&sweep->clock, sweep->now));

		if (sweep->mixture.n_members)
			pass_hidden(sweep, next - sweep->now);
		else
			pass_plain(sweep, next - sweep->now);
		sweep->now = next;
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

/* Passes what is selected of the time up to `to`, and skips the rest. */
static void advance(struct sweep *sweep, uint64_t to)
{
	const struct select *select = sweep->scope.select;

	while (select && sweep->at_span < select->n && sweep->now < to) {
		const struct select_span *span = &select->span[sweep->at_span];
		struct charge before = sweep->out->total;

		if (span->from_ns >= to)
			break;
		if (span->from_ns > sweep->now)
			sweep->now = span->from_ns;
		pass(sweep, span->to_ns < to ? span->to_ns : to);
		add_difference(&sweep->out->row[span->row], &sweep->out->total, &before);
		if (span->to_ns > to)
			break;
		sweep->at_span++;
	}
	if (select && sweep->now < to)
		sweep->now = to;
	else if (!select)
		pass(sweep, to);
}

static void on_start(struct sweep *sweep, strand_id s)
{
	const struct dag *dag = sweep->dag;
	struct shares *shares = &sweep->shares;
	strand_id direct = dag_releaser(dag, s, &sweep->hint);
	strand_id from = direct;
	uint16_t worker = dag->strand[s].worker;

	running_push(&sweep->running, s);
	if (!counts(sweep, s))
		return;
	if (from != STRAND_NONE && dag_is_node(dag, from))
		from = path_released_by(dag, s, &sweep->hint);
	if (from != STRAND_NONE) {
		uint32_t now = (uint32_t)(sweep->ready_share >> shares->coarse);
		uint64_t share = now - sweep->share_at_end[from];

		sweep->r--;
		shares->kind[dag_kind(dag, s)] += share;
		shares->edge[dag_edge_kind(dag, direct, s)] += share;
	}
	idle_share_take(&shares->worker[worker], &shares->idle);
	if (!dag_hidden(dag, s)) {
		sweep->p++;
		return;
	}
	sweep->began[worker] = shares->idle;
	if (mixture_add(&sweep->mixture, dag, s) < 0)
		sweep->no_memory = true;
}

/* The worker was idle for part of the time that its hidden task took. */
static void end_hidden(struct sweep *sweep, strand_id s)
{
	uint16_t worker = sweep->dag->strand[s].worker;
	const struct idle_share *began = &sweep->began[worker], *now = &sweep->shares.idle;
	double idle = mixture_idle(sweep->dag, s);
	struct idle_share share = { (uint64_t)(idle * (double)(now->delay - began->delay)),
				    (uint64_t)(idle * (double)(now->sched - began->sched)),
				    (uint64_t)(idle * (double)(now->app - began->app)) };

	idle_share_take(&sweep->shares.worker[worker], &share);
	mixture_remove(&sweep->mixture, sweep->dag, s);
}

static uint64_t part_of(uint64_t work, uint64_t within, uint64_t length)
{
	if (within == length)
		return work;
	return (uint64_t)((unsigned __int128)work * within / length);
}

static void on_end(struct sweep *sweep, strand_id s)
{
	const struct dag *dag = sweep->dag;
	uint16_t worker = dag->strand[s].worker;
	const struct hidden *hidden = dag_hidden(dag, s);
	uint64_t length = dag_length(dag, s);
	uint64_t within = select_within(sweep->scope.select, dag_start(dag, s), dag_end(dag, s));
	uint64_t work = part_of(dag_work(dag, s), within, length);

	sweep->share_at_end[s] = (uint32_t)(sweep->ready_share >> sweep->shares.coarse);
	sweep->r += released_by(&sweep->released, s);
	if (!counts(sweep, s))
		return;
	if (hidden)
		end_hidden(sweep, s);
	else
		sweep->p--;
	idle_share_add(&sweep->shares.worker[worker], &sweep->shares.idle);
	uint64_t own = hidden ? part_of(hidden->own_ns, within, length) : work;

	sweep->out->kind[dag_kind(dag, s)].work_ns += own;
	sweep->shares.hidden_work += work - own;
	sweep->out->worker[worker].work_ns += work;
	sweep->work += work;
}

static void end_until(struct sweep *sweep, uint64_t ns)
{
	while (running_ends(&sweep->running, ns)) {
		strand_id s = running_pop(&sweep->running);

		advance(sweep, dag_end(sweep->dag, s));
		on_end(sweep, s);
	}
}

static uint64_t *largest_work(struct charge *row, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++)
		if (row[i].work_ns > row[most].work_ns)
			most = i;
	return &row[most].work_ns;
}

/*
 * While hidden tasks ran, work was what to expect of them; in all it is what they had, at the
 * expense of delay.  Only by some ns of rounding there may be more than there was time for; those
 * are taken from the largest rows.
 */
static void correct(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	const struct select *select = sweep->scope.select;
	struct breakdown *out = sweep->out;
	struct charge none = { 0 }, *row = &none;
	int64_t missing = (int64_t)(sweep->work - out->total.work_ns) + (int64_t)sweep->over_ns;
	int64_t delay = (int64_t)out->total.delay_ns;
	uint64_t over = missing > delay ? (uint64_t)(missing - delay) : 0;
	uint64_t work = sweep->work - over;

	if (select && select->n)
		row = &out->row[select->span[select->n - 1].row];
	row->work_ns += work - out->total.work_ns;
	row->delay_ns -= (uint64_t)(over ? delay : missing);
	out->total.delay_ns -= (uint64_t)(over ? delay : missing);
	out->total.work_ns = work;
	if (over) {
		*largest_work(out->kind, dag->n_kinds) -= over;
		*largest_work(out->worker, dag->n_slots) -= over;
	}
}

static void run(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		end_until(sweep, dag_start(dag, s));
		advance(sweep, dag_start(dag, s));
		on_start(sweep, s);
	}
	end_until(sweep, dag->elapsed_ns);
	advance(sweep, dag->elapsed_ns);
	correct(sweep);
}

/* ---- all of it ---- */

static int settle(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	struct breakdown *out = sweep->out;
	uint8_t *seen = calloc(dag->n_slots + 1ull, 1);
	uint64_t *by_kind = calloc(dag->n_kinds + 1ull, sizeof(*by_kind));
	int error = seen && by_kind ? 0 : -ENOMEM;

	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (!dag_is_node(dag, s) && counts(sweep, s))
			seen[dag->strand[s].worker] = 1;
	if (!error)
		error = shares_settle(&sweep->shares, out, seen,
				      sweep->n_rows - sweep->scope.n_seen);
	states_complete(out->state, &out->total);
	if (!error) {
		tracer_by_kind(sweep->scope.tracer, dag, sweep->scope.runtimes,
			       sweep->scope.select, by_kind);
		error = apportion(charge_sum(&out->state[STATE_TRACER]), by_kind, dag->n_kinds,
				  out->tracer_ns);
	}
	free(by_kind);
	free(seen);
	return error;
}

/* None of its tasks ever began. */
static void charge_all_to_app(struct sweep *sweep)
{
	struct breakdown *out = sweep->out;
	const struct select *select = sweep->scope.select;
	uint64_t elapsed_ns = select ? select->total_ns : sweep->dag->elapsed_ns;

	out->total.no_work_app_ns = elapsed_ns * sweep->scope.n_workers;
	for (uint32_t i = 0; select && i < select->n; i++)
		out->row[select->span[i].row].no_work_app_ns +=
			(select->span[i].to_ns - select->span[i].from_ns) * sweep->scope.n_workers;
}

static int open_rows(struct breakdown *breakdown, const struct dag *dag,
		     const struct select *select)
{
	*breakdown = (struct breakdown){ 0 };
	breakdown->kind = calloc(dag->n_kinds + 1ull, sizeof(*breakdown->kind));
	breakdown->tracer_ns = calloc(dag->n_kinds + 1ull, sizeof(*breakdown->tracer_ns));
	breakdown->worker = calloc(dag->n_slots + 1ull, sizeof(*breakdown->worker));
	if (select)
		breakdown->row = calloc(select->n_rows + 1ull, sizeof(*breakdown->row));
	return breakdown->kind && breakdown->tracer_ns && breakdown->worker &&
			       (!select || breakdown->row)
		       ? 0
		       : -ENOMEM;
}

static int open_sweep(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	const struct scope *scope = &sweep->scope;

	sweep->n_rows = scope->n_workers > scope->n_seen ? scope->n_workers : scope->n_seen;
	sweep->share_at_end = malloc((dag->n_strands + 1ull) * sizeof(*sweep->share_at_end));
	sweep->began = calloc(dag->n_slots + 1ull, sizeof(*sweep->began));
	if (!sweep->share_at_end || !sweep->began || shares_open(&sweep->shares, dag) < 0 ||
	    running_open(&sweep->running, dag) < 0 ||
	    tracer_clock_open(&sweep->clock, scope->tracer, dag, scope->runtimes) < 0)
		return -ENOMEM;
	return released_count(&sweep->released, dag, scope->runtimes, scope->select,
			      &sweep->out->n_steals);
}

static void close_sweep(struct sweep *sweep)
{
	shares_close(&sweep->shares);
	running_close(&sweep->running);
	tracer_clock_close(&sweep->clock);
	free(sweep->share_at_end);
	free(sweep->began);
	mixture_free(&sweep->mixture);
	released_free(&sweep->released);
}

static int build(struct breakdown *breakdown, const struct dag *dag, const struct path *path,
		 const struct scope *scope)
{
	struct sweep sweep = { .dag = dag,
			       .path = path,
			       .out = breakdown,
			       .scope = *scope,
			       .mixture = { .on_path = STRAND_NONE } };
	int error = open_rows(breakdown, dag, scope->select);

	if (!error)
		error = open_sweep(&sweep);
	if (!error && path->n)
		run(&sweep);
	else if (!error)
		charge_all_to_app(&sweep);
	if (!error)
		error = sweep.no_memory ? -ENOMEM : settle(&sweep);
	close_sweep(&sweep);
	if (error)
		breakdown_free(breakdown);
	return error;
}

int breakdown_build(struct breakdown *breakdown, const struct dag *dag, const struct path *path,
		    const struct tracer *tracer, const struct select *select)
{
	struct scope scope = { PATH_ALL, dag->n_workers, dag->n_seen, tracer, select };

	return build(breakdown, dag, path, &scope);
}

int breakdown_build_of(struct breakdown *breakdown, const struct dag *dag, uint32_t runtime,
		       const struct tracer *tracer, const struct select *select)
{
	const struct dag_runtime *facts = &dag->runtime[runtime];
	struct scope scope = { (uint16_t)(1u << runtime), facts->n_workers, facts->n_seen, tracer,
			       select };
	struct path path = { 0 };
	int error = path_build(&path, dag, scope.runtimes);

	if (!error)
		error = build(breakdown, dag, &path, &scope);
	path_free(&path);
	return error;
}

void breakdown_free(struct breakdown *breakdown)
{
	free(breakdown->kind);
	free(breakdown->tracer_ns);
	free(breakdown->worker);
	free(breakdown->row);
	*breakdown = (struct breakdown){ 0 };
}
