/* SPDX-License-Identifier: MIT */
/* expected.c - turns a mixture's rates into ns that add up. */
#include "tools/analysis/expected.h"

/*
 * What has been of something up to the begin and the end of a step, in ns: a function of the
 * instant alone.  So steps add up to the same wherever they are cut, as by a selection.
 */
struct flow {
	uint64_t from, to;
};

#define RATIO_BITS 40 /* a trace of 2^40 ns is off by 1 at most */

/* What a step comes to. */
struct step {
	double dt; /* ns */
	struct flow time;
	struct charge state[STATES], all;
};

static uint64_t part(uint64_t ns, uint64_t ratio)
{
	const uint64_t half = UINT64_C(1) << (RATIO_BITS - 1);

	return (uint64_t)(((unsigned __int128)ns * ratio + half) >> RATIO_BITS);
}

/* So much of it as a is of b, and no more than all. */
static struct flow flow_part(struct flow flow, double a, double b)
{
	const uint64_t one = UINT64_C(1) << RATIO_BITS;
	uint64_t ratio = b > 0 && a < b ? (uint64_t)(a / b * (double)one + .5) : one;

	if (a <= 0)
		ratio = 0;
	return (struct flow){ part(flow.from, ratio), part(flow.to, ratio) };
}

static struct flow flow_times(struct flow flow, uint64_t n)
{
	return (struct flow){ flow.from * n, flow.to * n };
}

static struct flow flow_less(struct flow all, struct flow less)
{
	return (struct flow){ all.from - less.from, all.to - less.to };
}

static struct flow flow_sum(struct flow a, struct flow b)
{
	return (struct flow){ a.from + b.from, a.to + b.to };
}

static uint64_t flow_ns(struct flow flow)
{
	return flow.to - flow.from;
}

/* Whether a collapsed task runs on the ready path. */
static bool on_path(const struct sweep *sweep)
{
	return sweep->mixture.on_path != STRAND_NONE;
}

/* Where the ready path is, while it runs a collapsed task or anything else. */
static void pass_path(const struct step *step, const struct sweep *sweep,
		      const struct mixture_rates *rates, struct breakdown *out)
{
	enum path_state state = sweep->path_state;
	double work = state == PATH_RUNS ? 1 : 0, waits = state == PATH_READY ? 1 : 0;
	double scheduler = waits * rates->starved;
	struct flow works, schedules;

	if (on_path(sweep)) {
		work = rates->path_work;
		scheduler = rates->path_scheduler;
		waits = scheduler + rates->path_busy;
	}
	works = flow_part(step->time, work, 1);
	out->path_work_ns += flow_ns(works);
	if (work + waits <= 0)
		return;
	schedules = flow_part(flow_less(step->time, works), scheduler, waits);
	out->path_scheduler_delay_ns += flow_ns(schedules);
	out->path_busy_delay_ns += flow_ns(step->time) - flow_ns(works) - flow_ns(schedules);
}

/*
 * The time of the workers in one state, of which there are n on the average.  No-work is a part of
 * it, the scheduler's is one of that while the ready path is ready, and delay is the rest.
 */
static struct flow split_state(struct step *step, const struct sweep *sweep,
			       const struct mixture_rates *rates, enum state state, struct flow all,
			       double n)
{
	struct charge *charge = &step->state[state];
	double no_work = rates->no_work[state];
	struct flow none = flow_part(all, no_work, n), sched = { 0 }, delay = flow_less(all, none);

	if (sweep->path_state == PATH_READY)
		sched = none;
	else if (on_path(sweep))
		sched = flow_part(none, rates->sched[state], no_work);
	charge->no_work_sched_ns = flow_ns(sched);
	charge->no_work_app_ns = flow_ns(none) - flow_ns(sched);
	charge->delay_ns = flow_ns(delay);
	charge_add(&step->all, charge);
	return delay;
}

/* What the collapsed tasks that run have worked since each began; *all: and been there. */
static struct flow work_of(const struct sweep *sweep, struct flow time, struct flow *all)
{
	const struct mixture *mixture = &sweep->mixture;
	struct flow work = { 0 };

	*all = work;
	for (uint32_t m = 0; m < mixture->n_members; m++) {
		strand_id s = mixture->member[m];
		uint64_t start = dag_start(sweep->dag, s);
		struct flow since = { time.from - start, time.to - start };

		*all = flow_sum(*all, since);
		work.from += dag_work_until(sweep->dag, s, since.from);
		work.to += dag_work_until(sweep->dag, s, since.to);
	}
	return work;
}

/* The runtime has the time that the collapsed tasks do not work; of its delay, the recorder has
 * what it held of them: ready strands are there, of the same tasks. */
static void split(struct step *step, const struct sweep *sweep, const struct mixture_rates *rates)
{
	const struct mixture *mixture = &sweep->mixture;
	uint64_t n_runtime = sweep->n_in[STATE_RUNTIME];
	double n = (double)n_runtime + mixture->idle;
	struct flow all, work = work_of(sweep, step->time, &all), delay;
	uint64_t held_ns;

	for (size_t i = 0; i < STATES_FREE; i++) {
		enum state state = states_charged[i];

		if (state != STATE_RUNTIME)
			split_state(step, sweep, rates, state,
				    flow_times(step->time, sweep->n_in[state]),
				    (double)sweep->n_in[state]);
	}
	all = flow_sum(flow_less(all, work), flow_times(step->time, n_runtime));
	delay = split_state(step, sweep, rates, STATE_RUNTIME, all, n);
	held_ns = flow_ns(flow_part(delay, mixture->held, n - rates->no_work[STATE_RUNTIME]));
	step->state[STATE_RUNTIME].delay_ns -= held_ns;
	step->state[STATE_TRACER].delay_ns += held_ns;
	step->all.work_ns = (sweep->p + sweep->filled) * sweep->ns + flow_ns(work);
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

/* What each worker in the runtime gets, and each that waits. */
static void blame(struct blaming *blaming, const struct step *step, const struct sweep *sweep)
{
	const struct mixture *mixture = &sweep->mixture;
	const uint32_t *n = sweep->workers.n;
	struct idle_share runtime = scaled(&step->state[STATE_RUNTIME],
					   n[STATE_RUNTIME] + mixture->idle - mixture->held);

	idle_share_add(&blaming->in[STATE_RUNTIME], &runtime);
	for (int s = 0; s < STATES; s++) {
		struct idle_share waits = scaled(&step->state[s], n[s]);

		if (state_waits(s))
			idle_share_add(&blaming->in[s], &waits);
	}
	blame_collapsed(blaming, mixture, &runtime);
}

void expected_charge(const struct sweep *sweep, struct breakdown *out, struct shares *shares,
		     struct blaming *blaming)
{
	kind_id k = dag_kind(sweep->dag, sweep->on_path);
	struct step step = { .dt = (double)sweep->ns,
			     .time = { sweep->now_ns, sweep->now_ns + sweep->ns } };
	struct mixture_rates rates;

	mixture_rates(&sweep->mixture, sweep->q, sweep->n_in, sweep->r, &rates);
	pass_path(&step, sweep, &rates, out);
	split(&step, sweep, &rates);
	for (size_t i = 0; i < STATES_FREE; i++)
		charge_add(&out->state[states_charged[i]], &step.state[states_charged[i]]);
	charge_add(&out->total, &step.all);
	out->kind[k].no_work_sched_ns += step.all.no_work_sched_ns;
	out->kind[k].no_work_app_ns += step.all.no_work_app_ns;
	out->in_state[k].ns[STATE_IDLE] +=
		step.state[STATE_IDLE].no_work_sched_ns + step.state[STATE_IDLE].no_work_app_ns;
	share_out(shares, &step, sweep, &rates);
	blame(blaming, &step, sweep);
}
