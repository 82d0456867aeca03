/* SPDX-License-Identifier: MIT */
/* expected.c - turns a mixture's rates into ns that add up. */
#include "tools/analysis/expected.h"

#include "tools/base/at_most.h"

/* What a step comes to. */
struct step {
	double dt; /* ns */
	struct charge state[STATES], all;
};

static double not_less(double least, double value)
{
	return value > least ? value : least;
}

/* Whether a collapsed task runs on the ready path. */
static bool on_path(const struct sweep *sweep)
{
	return sweep->mixture.on_path != STRAND_NONE;
}

/* Where the ready path is, while it runs a collapsed task or anything else. */
static void pass_path(struct expected *expected, const struct sweep *sweep,
		      const struct mixture_rates *rates, double dt, struct breakdown *out)
{
	enum path_state state = sweep->path_state;
	double work = state == PATH_RUNS ? 1 : 0, scheduler = 0, busy = 0;

	if (on_path(sweep)) {
		work = rates->path_work;
		scheduler = rates->path_scheduler;
		busy = rates->path_busy;
	} else if (state == PATH_READY) {
		scheduler = rates->starved;
		busy = 1 - rates->starved;
	}
	out->path_work_ns += share_rounded(dt * work, &expected->rest.path_work);
	out->path_scheduler_delay_ns +=
		share_rounded(dt * scheduler, &expected->rest.path_scheduler);
	out->path_busy_delay_ns += share_rounded(dt * busy, &expected->rest.path_busy);
}

/* So many workers for the step's time, rounded; what is more than `most` is left for the next. */
static uint64_t rounded(double workers, const struct step *step, uint64_t most, double *rest)
{
	uint64_t ns = share_rounded(step->dt * workers, rest);

	if (ns > most)
		*rest += (double)(ns - most);
	return at_most(most, ns);
}

/* The time of the workers in one state, of which delay is the rest. */
static void split_state(struct expected *expected, struct step *step, const struct sweep *sweep,
			const struct mixture_rates *rates, enum state state, uint64_t all_ns)
{
	struct charge *charge = &step->state[state];
	double sched = 0;

	/* no-work is the scheduler's while the ready path is ready */
	if (sweep->path_state == PATH_READY)
		sched = rates->no_work[state];
	else if (on_path(sweep))
		sched = rates->sched[state];
	charge->no_work_sched_ns = rounded(sched, step, all_ns, &expected->rest.sched[state]);
	all_ns -= charge->no_work_sched_ns;
	charge->no_work_app_ns = rounded(not_less(0, rates->no_work[state] - sched), step, all_ns,
					 &expected->rest.app[state]);
	charge->delay_ns = all_ns - charge->no_work_app_ns;
	charge_add(&step->all, charge);
}

/* Of what the runtime has, the recorder's part: ready strands are there, of the same tasks. */
static void split_held(struct expected *expected, struct step *step, const struct sweep *sweep)
{
	uint64_t *delay_ns = &step->state[STATE_RUNTIME].delay_ns;
	uint64_t ns = rounded(sweep->mixture.held, step, *delay_ns, &expected->rest.held);

	*delay_ns -= ns;
	step->state[STATE_TRACER].delay_ns += ns;
}

/* Work is rounded; the runtime has all the time that no other state has. */
static void split(struct expected *expected, struct step *step, const struct sweep *sweep,
		  const struct mixture_rates *rates)
{
	const struct mixture *mixture = &sweep->mixture;
	uint64_t ns = sweep->ns, left = ns * sweep->scope.n_workers;

	for (size_t i = 0; i < STATES_FREE; i++) {
		enum state state = states_charged[i];

		if (state == STATE_RUNTIME)
			continue;
		split_state(expected, step, sweep, rates, state, sweep->n_in[state] * ns);
		left -= sweep->n_in[state] * ns;
	}
	step->all.work_ns =
		sweep->p * ns + share_rounded(step->dt * (mixture->n_members - mixture->idle),
					      &expected->rest.work);
	expected->over_ns += step->all.work_ns > left ? step->all.work_ns - left : 0;
	left -= at_most(left, step->all.work_ns);
	split_state(expected, step, sweep, rates, STATE_RUNTIME, left);
	split_held(expected, step, sweep);
}

static struct idle_share scaled(const struct charge *charge, double n)
{
	if (n <= 0)
		return (struct idle_share){ 0 };
	return (struct idle_share){ share_scaled((double)charge->delay_ns / n),
				    share_scaled((double)charge->no_work_sched_ns / n),
				    share_scaled((double)charge->no_work_app_ns / n) };
}

static void share_out(struct shares *shares, const struct step *step, const struct sweep *sweep,
		      const struct mixture_rates *rates)
{
	const struct mixture *mixture = &sweep->mixture;
	double dt = step->dt;
	double n_idle = (double)(sweep->n_idlers - sweep->p - mixture->n_members) + mixture->idle;
	struct idle_share idle = scaled(&step->all, n_idle);

	shares->ready += share_scaled(dt * rates->share);
	shares->starved += share_scaled(dt * rates->starved_share);
	shares->starved_collapsed += share_scaled(dt * rates->starved_delay) >> shares->coarse;
	idle_share_add(&shares->idle, &idle);
	for (int e = 0; e < EDGE_KINDS; e++) {
		uint64_t share = share_scaled(dt * rates->edge[e]) >> shares->coarse;

		shares->edge[e] += share;
		shares->collapsed += share;
	}
}

/* What each worker in the runtime gets, and each blocked one. */
static void blame(struct blaming *blaming, const struct step *step, const struct sweep *sweep)
{
	const struct mixture *mixture = &sweep->mixture;
	const uint32_t *n = sweep->workers.n;
	struct idle_share runtime = scaled(&step->state[STATE_RUNTIME],
					   n[STATE_RUNTIME] + mixture->idle - mixture->held);
	struct idle_share blocked = scaled(&step->state[STATE_BLOCKED], n[STATE_BLOCKED]);

	idle_share_add(&blaming->in[STATE_RUNTIME], &runtime);
	idle_share_add(&blaming->in[STATE_BLOCKED], &blocked);
	blame_collapsed(blaming, mixture, &runtime);
}

void expected_charge(struct expected *expected, const struct sweep *sweep, struct breakdown *out,
		     struct shares *shares, struct blaming *blaming)
{
	kind_id k = dag_kind(sweep->dag, sweep->on_path);
	struct step step = { .dt = (double)sweep->ns };
	struct mixture_rates rates;

	mixture_rates(&sweep->mixture, sweep->q, sweep->n_in, sweep->r, &rates);
	pass_path(expected, sweep, &rates, step.dt, out);
	split(expected, &step, sweep, &rates);
	for (size_t i = 0; i < STATES_FREE; i++)
		charge_add(&out->state[states_charged[i]], &step.state[states_charged[i]]);
	charge_add(&out->total, &step.all);
	out->kind[k].no_work_sched_ns += step.all.no_work_sched_ns;
	out->kind[k].no_work_app_ns += step.all.no_work_app_ns;
	out->starved_ns[k] +=
		step.state[STATE_IDLE].no_work_sched_ns + step.state[STATE_IDLE].no_work_app_ns;
	share_out(shares, &step, sweep, &rates);
	blame(blaming, &step, sweep);
}

static uint64_t *largest_work(struct charge *row, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++)
		if (row[i].work_ns > row[most].work_ns)
			most = i;
	return &row[most].work_ns;
}

/* Takes so much from the delay, the runtime's first; what there is not. */
static uint64_t take_delay(struct breakdown *out, uint64_t ns)
{
	static const enum state from[] = { STATE_RUNTIME, STATE_IDLE, STATE_BLOCKED, STATE_TRACER };

	for (size_t i = 0; i < STATES_FREE; i++) {
		uint64_t *delay_ns = &out->state[from[i]].delay_ns;
		uint64_t n = at_most(*delay_ns, ns);

		*delay_ns -= n;
		out->total.delay_ns -= n;
		ns -= n;
	}
	return ns;
}

/* The part of the run that has the most delay, or else work: some ns of it can go to the other. */
static struct charge *row_with_most(struct charge *row, uint32_t n, bool delay)
{
	struct charge *most = row;

	for (uint32_t i = 1; i < n; i++)
		if (delay ? row[i].delay_ns > most->delay_ns : row[i].work_ns > most->work_ns)
			most = &row[i];
	return most;
}

/* By some ns of rounding there may be more than there was time for: the largest rows lose those. */
void expected_correct(const struct expected *expected, const struct dag *dag, uint64_t work_ns,
		      const struct select *select, struct breakdown *out)
{
	struct charge none = { 0 }, *row = &none;
	int64_t missing = (int64_t)(work_ns - out->total.work_ns) + (int64_t)expected->over_ns;
	uint64_t delay_ns = out->total.delay_ns, over = 0;

	if (missing > 0) {
		over = take_delay(out, (uint64_t)missing);
	} else {
		out->state[STATE_RUNTIME].delay_ns += (uint64_t)-missing;
		out->total.delay_ns += (uint64_t)-missing;
	}
	if (select && select->n)
		row = row_with_most(out->row, select->n_rows, missing > 0);
	row->work_ns += work_ns - over - out->total.work_ns;
	row->delay_ns += out->total.delay_ns - delay_ns;
	out->total.work_ns = work_ns - over;
	out->state[STATE_RUNNING].work_ns = out->total.work_ns;
	if (over) {
		*largest_work(out->kind, dag->n_kinds) -= over;
		*largest_work(out->worker, dag->n_slots) -= over;
	}
}
