/* SPDX-License-Identifier: MIT */
/* searches.c - finds idle periods and what could be taken in them; one sweep over both. */
#include "tools/model/searches.h"

#include <stdlib.h>

#include "tools/analysis/ready_path.h"
#include "tools/base/order.h"
#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"
#include "tools/dag/width.h"

enum ending { GIVEN_UP, STOLEN, FIRST_STOLEN, LEFT_OUT };

struct period {
	uint64_t begin_ns, end_ns;
	double at_risk_ns;
	uint64_t until_ns; /* time since the beginning with something to be taken, at its end */
	uint8_t ending;	   /* enum ending */
	bool at_once;
};

struct span_of_time {
	uint64_t begin_ns, end_ns;
};

struct change_at {
	uint64_t ns;
	uint32_t period; /* NO_PERIOD: a strand that can be taken */
	int32_t by;
};
#define NO_PERIOD UINT32_MAX

struct finding {
	const struct graph *graph;
	const struct policy *policy;
	uint64_t *free_ns;   /* by slot: when its last strand ended */
	uint32_t *n_waiting; /* by slot: tasks that wait on it */
	uint8_t *began;	     /* by slot */
	struct period *period;
	uint64_t n_periods, period_room;
	struct span_of_time *together; /* idle periods, those that overlap as one; by time */
	uint64_t n_together;
	struct change_at *change;
	uint64_t n_changes, change_room;
};

/* ---- idle periods ---- */

static bool is_steal(const struct step *step)
{
	return step->lead_of == LEAD_TAKE || step->lead_of == LEAD_WAKE;
}

/* The main task's worker, which takes nothing else; and a thread that is no worker: where there are
 * more of them than places, a free one does not look for tasks. */
static bool is_apart(const struct finding *finding, uint32_t worker)
{
	const struct dag *dag = finding->graph->dag;

	return (finding->policy->apart && worker == dag->strand[0].worker) || dag->beside[worker];
}

static void add_period(struct finding *finding, uint32_t worker, uint64_t begin_ns, uint64_t end_ns,
		       enum ending ending)
{
	if (end_ns < begin_ns || (end_ns == begin_ns && ending == GIVEN_UP) ||
	    is_apart(finding, worker))
		return;
	ARRAY_ADD(finding->period, finding->n_periods, finding->period_room,
		  (struct period){
			  .begin_ns = begin_ns, .end_ns = end_ns, .ending = (uint8_t)ending });
}

/* The worker's time before the strand. */
static void period_before(struct finding *finding, strand_id s)
{
	const struct dag *dag = finding->graph->dag;
	const struct step *step = &finding->graph->step[s];
	uint32_t worker = dag->strand[s].worker;
	uint64_t start = dag_start(dag, s), since = start > step->lead ? start - step->lead : 0;
	enum ending ending = GIVEN_UP;

	if (finding->policy->bar != BAR_NOTHING && finding->n_waiting[worker])
		return;
	if (step->lead_of == LEAD_HANDOVER && finding->policy->tied)
		return;
	if (is_steal(step))
		ending = finding->began[worker] ? STOLEN : FIRST_STOLEN;
	add_period(finding, worker, finding->free_ns[worker], ending == GIVEN_UP ? since : start,
		   ending);
}

static void worker_goes_on(struct finding *finding, strand_id s)
{
	const struct dag *dag = finding->graph->dag;
	const struct step *step = &finding->graph->step[s];
	uint32_t worker = dag->strand[s].worker;

	if (step->flags & STEP_JOINS && finding->n_waiting[worker])
		finding->n_waiting[worker]--;
	if (step->end == STEP_WAITS && step->wait != WIRE_WAIT_BARRIER)
		finding->n_waiting[worker]++;
	finding->free_ns[worker] = dag_end(dag, s);
	finding->began[worker] = 1;
}

static void find_periods(struct finding *finding)
{
	const struct dag *dag = finding->graph->dag;

	for (strand_id s = 0; s < finding->graph->n_steps; s++) {
		if (finding->graph->step[s].flags & STEP_NODE)
			continue;
		period_before(finding, s);
		worker_goes_on(finding, s);
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		if (finding->began[w])
			add_period(finding, w, finding->free_ns[w], dag->elapsed_ns, GIVEN_UP);
}

ORDER(by_begin, struct period, BY_LEAST(begin_ns))

static void find_together(struct finding *finding)
{
	uint64_t n = 0;

	SORT(finding->period, finding->n_periods, by_begin);
	finding->together = xmalloc((finding->n_periods + 1) * sizeof(*finding->together));
	for (uint64_t i = 0; i < finding->n_periods; i++) {
		const struct period *period = &finding->period[i];

		if (n && finding->together[n - 1].end_ns >= period->begin_ns) {
			if (finding->together[n - 1].end_ns < period->end_ns)
				finding->together[n - 1].end_ns = period->end_ns;
		} else {
			finding->together[n++] =
				(struct span_of_time){ period->begin_ns, period->end_ns };
		}
	}
	finding->n_together = n;
}

/* ---- what can be taken ---- */

static void add_change(struct finding *finding, uint64_t ns, uint32_t period, int32_t by)
{
	ARRAY_ADD(finding->change, finding->n_changes, finding->change_room,
		  (struct change_at){ ns, period, by });
}

static bool somebody_is_idle(const struct finding *finding, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t i = SORTED_BEFORE(finding->together, finding->n_together, it->end_ns <= begin_ns);

	return i < finding->n_together && finding->together[i].begin_ns < end_ns;
}

/* From its release until its worker, or a thief, took it. */
static void item_of(struct finding *finding, strand_id s, uint32_t *hint)
{
	const struct dag *dag = finding->graph->dag;
	const struct step *step = &finding->graph->step[s];
	strand_id from = ready_path_released_by(dag, s, hint);
	uint64_t start = dag_start(dag, s), ready, until = start;

	if (from == STRAND_NONE || step->flags & STEP_MEMBER ||
	    (finding->policy->tied && !(step->flags & STEP_FIRST)))
		return;
	ready = dag_end(dag, from);
	if (!is_steal(step))
		until = start > step->lead ? start - step->lead : 0;
	if (until <= ready || !somebody_is_idle(finding, ready, until))
		return;
	add_change(finding, ready, NO_PERIOD, 1);
	add_change(finding, until, NO_PERIOD, -1);
}

static void find_items(struct finding *finding)
{
	uint32_t hint = 0;

	for (strand_id s = 0; s < finding->graph->n_steps; s++)
		if (!(finding->graph->step[s].flags & STEP_NODE))
			item_of(finding, s, &hint);
	for (uint64_t i = 0; i < finding->n_periods; i++) {
		add_change(finding, finding->period[i].begin_ns, (uint32_t)i, 1);
		add_change(finding, finding->period[i].end_ns, (uint32_t)i, -1);
	}
}

/* ---- time at risk ---- */

/* What comes goes before what leaves, so that a period of no length is one. */
ORDER(by_time, struct change_at, BY_LEAST(ns) ?: BY_MOST(by))

static void sweep(struct finding *finding)
{
	uint64_t n_items = 0, n_idle = 0, last = 0;
	uint64_t all_ns = 0;
	double risk = 0;

	SORT(finding->change, finding->n_changes, by_time);
	for (uint64_t i = 0; i < finding->n_changes; i++) {
		const struct change_at *change = &finding->change[i];
		struct period *period;

		if (n_items && n_idle)
			risk += (double)(change->ns - last) *
				(n_items < n_idle ? (double)n_items / (double)n_idle : 1);
		all_ns += n_items ? change->ns - last : 0;
		last = change->ns;
		if (change->period == NO_PERIOD) {
			n_items += (uint64_t)(int64_t)change->by;
			continue;
		}
		period = &finding->period[change->period];
		n_idle += (uint64_t)(int64_t)change->by;
		if (change->by > 0) {
			period->at_risk_ns = -risk;
			period->at_once = n_items > 0;
		} else {
			period->at_risk_ns += risk;
			period->until_ns = all_ns;
		}
	}
}

/* ---- distributions ---- */

struct survival {
	uint64_t n_stolen[WIRE_BUCKETS], n_given_up[WIRE_BUCKETS], sum_ns[WIRE_BUCKETS];
	uint64_t n, n_events, all_ns;
};

static void count(struct survival *of, const struct period *period)
{
	uint64_t ns = period->at_risk_ns > 0 ? (uint64_t)period->at_risk_ns : 0;
	uint32_t bucket = wire_bucket(ns);

	of->n++;
	of->all_ns += ns;
	if (period->ending == STOLEN) {
		of->n_stolen[bucket]++;
		of->sum_ns[bucket] += ns;
		of->n_events++;
	} else {
		of->n_given_up[bucket]++;
	}
}

/* The share of each bucket in whole searches, and its mean. */
static void spread_of(struct lead_spread *spread, const struct survival *of)
{
	double share[WIRE_BUCKETS + 1], left = 1, at_risk = (double)of->n;
	uint64_t mean_ns[WIRE_BUCKETS + 1], longest = 0;
	uint32_t n = 0;

	for (uint32_t b = 0; b < WIRE_BUCKETS; b++) {
		double given_up = (double)of->n_given_up[b], stolen = (double)of->n_stolen[b];

		if (stolen > 0) {
			double hazard =
				stolen /
				(at_risk - (at_risk > stolen + given_up / 2 ? given_up / 2 : 0));

			mean_ns[n] = longest = of->sum_ns[b] / of->n_stolen[b];
			share[n++] = left * (hazard < 1 ? hazard : 1);
			left *= hazard < 1 ? 1 - hazard : 0;
		}
		at_risk -= given_up + stolen;
	}
	if (n && left > 1e-9) {
		mean_ns[n] = longest + of->all_ns / of->n_events;
		share[n++] = left;
	}
	spread->n = of->n_events;
	lead_spread_fill(spread, share, mean_ns, n);
}

static void find_first(struct searches *searches, const struct finding *finding)
{
	searches->first = xcalloc(finding->graph->dag->n_slots + 1ull, sizeof(*searches->first));
	for (uint64_t i = 0; i < finding->n_periods; i++)
		if (finding->period[i].ending == FIRST_STOLEN)
			searches->first[searches->n_first++] = finding->period[i].until_ns;
	SORT(searches->first, searches->n_first, order_numbers);
}

static void fill(struct searches *searches, const struct finding *finding)
{
	struct survival *of = xcalloc(SEARCHES_OF, sizeof(*of));
	const struct dag *dag = finding->graph->dag;
	uint64_t all_ns = 0;

	find_first(searches, finding);

	for (uint64_t i = 0; i < finding->n_periods; i++) {
		const struct period *period = &finding->period[i];

		if (period->ending == FIRST_STOLEN ||
		    (period->ending == GIVEN_UP && period->at_risk_ns < 1))
			continue;
		count(&of[period->at_once ? SEARCH_AT_ONCE : SEARCH_WOKEN], period);
		all_ns += (uint64_t)period->at_risk_ns;
	}
	for (int i = 0; i < SEARCHES_OF; i++)
		spread_of(&searches->of[i], &of[of[i].n_events ? i : !i]);
	searches->n_never = width_never(dag);
	searches->none = !of[0].n_events && !of[1].n_events && all_ns;
	free(of);
}

/* ---- all of it ---- */

void searches_build(struct searches *searches, const struct graph *graph,
		    const struct policy *policy)
{
	uint64_t slots = graph->dag->n_slots + 1ull;
	struct finding finding = { .graph = graph,
				   .policy = policy,
				   .free_ns = xcalloc(slots, sizeof(*finding.free_ns)),
				   .n_waiting = xcalloc(slots, sizeof(*finding.n_waiting)),
				   .began = xcalloc(slots, 1) };

	*searches = (struct searches){ 0 };
	if (!policy->in_turn) /* there, nobody searches */
		find_periods(&finding);
	if (finding.n_periods >= NO_PERIOD)
		too_many("idle periods");
	find_together(&finding);
	if (finding.n_periods)
		find_items(&finding);
	sweep(&finding);
	fill(searches, &finding);
	free(finding.free_ns);
	free(finding.n_waiting);
	free(finding.began);
	free(finding.period);
	free(finding.together);
	free(finding.change);
}

void searches_free(struct searches *searches)
{
	for (int i = 0; i < SEARCHES_OF; i++)
		free(searches->of[i].bin);
	free(searches->first);
	*searches = (struct searches){ 0 };
}
