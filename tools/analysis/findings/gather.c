/* SPDX-License-Identifier: MIT */
/* gather.c - one sweep, in which each core-second without work goes to one clue. */
#include <stdlib.h>

#include "tools/analysis/findings/costs.h"
#include "tools/analysis/findings/findings.h"
#include "tools/analysis/findings/parts.h"
#include "tools/analysis/findings/step.h"
#include "tools/base/xalloc.h"
#include "tools/dag/wait_rules.h"

struct gather {
	struct clues *clues;
	struct sweep sweep;
	const struct ahead *ahead;
	struct seats watch;
	struct parts parts;
	struct machine_waits waits;
	uint32_t next_on_path; /* path->strand[]: the next to start */
	uint16_t *entered;     /* by task: the wait for the lock that it took last; NULL */
};

/* The place of the lock that the strand's task took last. */
static struct wait_clues *entered_at(const struct gather *gather, strand_id s)
{
	return &gather->clues->wait[gather->entered[gather->clues->dag->strand[s].task]];
}

/* What calls cost there.  To make a thread and to wait for it is one cause, and no lock's. */
static struct loss *calls_of(const struct gather *gather, struct wait_clues *wait)
{
	bool thread = gather->clues->dag->wait[wait - gather->clues->wait].what == WIRE_WAIT_THREAD;

	return thread ? &wait->lock : &wait->calls;
}

/* The barrier that the strand ended with, as a place that waits; NULL. */
static struct wait_clues *barrier_at(const struct gather *gather, strand_id s)
{
	const struct dag *dag = gather->clues->dag;
	uint16_t number = s == STRAND_NONE ? 0 : dag_wait_number(dag, s); /* a node's is 0 */

	return number && dag->wait[number].what == WIRE_WAIT_TEAM ? &gather->clues->wait[number]
								  : NULL;
}

/* Whom a strand that is ready and does not run is charged to; parked: seats_parked() of it. */
static struct loss *lag_of(struct gather *gather, strand_id s, enum edge_kind edge,
			   const struct parked *parked)
{
	const struct dag *dag = gather->clues->dag;
	struct kind_clues *kind = &gather->clues->kind[dag_kind(dag, s)];
	strand_id pred = dag->strand[s].pred;
	struct wait_clues *barrier;

	if (dag->how[s] & STRAND_FIRST) {
		strand_id creator = ahead_creator(dag, s), waited;

		if (edge == EDGE_DEPEND)
			return &kind->lag[LAG_DEPEND];
		if (creator == STRAND_NONE)
			return &kind->lag[LAG_BEGIN];
		waited = seats_waited(&gather->watch, dag->strand[creator].task)->strand;
		return &kind->lag[waited == STRAND_NONE || waited < pred ? LAG_HELD : LAG_BEGIN];
	}
	if (pred != STRAND_NONE && ahead_flags(gather->ahead, dag, pred) & AHEAD_CALLS)
		return calls_of(gather, entered_at(gather, s));
	if (parked && gather->watch.seat[dag->strand[pred].worker].running != STRAND_NONE)
		return &kind->lag[seats_burial(&gather->watch, parked)];
	if (released_outside(dag, s) ||
	    (edge == EDGE_SYNC && pred != STRAND_NONE && dag_wait_number(dag, pred)))
		return &gather->clues->wait[dag_wait_number(dag, pred)].lock;
	if (edge == EDGE_CREATE_CONT && ahead_creates(gather->ahead, dag, pred) != AHEAD_NO_KIND)
		return &gather->clues->kind[ahead_creates(gather->ahead, dag, pred)].lag[LAG_CALL];
	barrier = barrier_at(gather, pred);
	if (barrier)
		return &barrier->met;
	return &kind->lag[edge == EDGE_SYNC ? LAG_SYNC : LAG_RESUME];
}

/* The ready path holds a lock, and all that is ready only its own workers may take. */
static bool is_locks(const struct gather *gather)
{
	const struct sweep *sweep = &gather->sweep;

	return sweep->path_state == PATH_RUNS && !sweep->mixture.n_members && sweep->r > 0 &&
	       gather->watch.n_buried >= sweep->r &&
	       gather->parts.roles.role[sweep->at_path] == ROLE_LOCK;
}

/* What the ready path is charged with: its strand that runs, is ready, or waits outside. */
static void charge_path(struct gather *gather, double no_work)
{
	const struct sweep *sweep = &gather->sweep;
	enum edge_kind edge = (enum edge_kind)gather->parts.roles.edge[sweep->at_path];
	struct loss loss = { no_work, no_work };
	strand_id s = sweep->on_path;

	if (sweep->path_state == PATH_RUNS ||
	    (sweep->path_state == PATH_OUTSIDE && (!released_outside(gather->clues->dag, s) ||
						   released_thread(gather->clues->dag, s)))) {
		parts_charge(&gather->parts, sweep,
			     &gather->watch.seat[sweep->dag->strand[s].worker], no_work);
		return;
	}
	if (no_work > 0)
		loss_add(lag_of(gather, s, edge, seats_parked(&gather->watch, s)), &loss);
}

SWEEP_INLINE void charge_time(struct gather *gather, bool plain)
{
	struct sweep *sweep = &gather->sweep;
	struct seats *watch = &gather->watch;
	struct clues *clues = gather->clues;
	bool mixed = !plain && sweep->mixture.n_members;
	struct step step;
	double lost;

	watch->busy += real_of(sweep->p + sweep->filled + (mixed ? sweep->mixture.n_members : 0)) *
		       real_of(sweep->ns);
	if (!sweep->q && !mixed) { /* no worker is free */
		charge_path(gather, 0);
		return;
	}
	step = mixed ? mixed_step(sweep, watch) : plain_step(sweep, watch);
	lost = real_of(sweep->q) * real_of(sweep->ns);
	if (mixed)
		lost = step.delay + step.no_work + step.held + step.blocked + step.calls;
	if (is_locks(gather)) {
		step.no_work += step.delay;
		step.delay = step.share = 0;
	}
	if (gather->waits.n)
		clues->waited.ns += take_waits(&step, sweep, lost, &gather->waits);
	clues->held.ns += step.held;
	if (mixed)
		clues->collapsed_ns += step.in_collapsed + step.sched;
	watch->lost += step.share;
	if (watch->n_blocked)
		watch->locked += step.blocked / (double)watch->n_blocked;
	if (watch->n_calling)
		watch->called += step.calls / (double)watch->n_calling;
	if (watch->n_idle_wait)
		watch->barred += step.barred / (double)watch->n_idle_wait;
	charge_path(gather, step.no_work - step.sched);
}

/* ---- strands ---- */

/* The strand that starts. */
struct starting {
	strand_id s, pred;
	const struct seat *seat;
	struct kind_clues *kind;
	struct parked *parked; /* as it is parked; NULL */
	bool first;	       /* its task's */
	bool on_path;
};

/* Whether the strand that starts is of the ready path. */
static bool is_on_path(struct gather *gather)
{
	const struct ready_path *path = gather->parts.path;

	while (gather->next_on_path < path->n &&
	       path->strand[gather->next_on_path] < gather->sweep.strand)
		gather->next_on_path++;
	return gather->next_on_path < path->n &&
	       path->strand[gather->next_on_path] == gather->sweep.strand;
}

static void charge(struct loss *loss, double ns, bool on_path)
{
	loss->ns += ns;
	loss->path_ns += on_path ? ns : 0;
}

/* A new task: what it lost before its creator came to a wait, and after. */
static void charge_first(struct gather *gather, const struct starting *now, double lost)
{
	const struct dag *dag = gather->clues->dag;
	const struct seats *watch = &gather->watch;
	strand_id pred = ahead_creator(dag, now->s);
	struct kind_clues *kind = now->kind;
	bool on_path = now->on_path;
	const struct waited *waited;
	uint64_t n_created;
	double before = 0;
	task_id creator;

	if (pred == STRAND_NONE || gather->sweep.edge == EDGE_DEPEND) {
		charge(&kind->lag[gather->sweep.edge == EDGE_DEPEND ? LAG_DEPEND : LAG_BEGIN], lost,
		       on_path);
		return;
	}
	creator = dag->strand[pred].task;
	waited = seats_waited(watch, creator);
	kind->creator = dag_kind(dag, pred);
	n_created = few_of(&gather->ahead->created, creator);
	if (n_created > kind->most_created)
		kind->most_created = (uint32_t)n_created;
	if (waited->strand != STRAND_NONE && waited->strand >= pred) {
		kind->n_held++;
		before = least(lost, positive(waited->lost -
					      seats_lost_at_end(watch, gather->sweep.releaser)));
	} else {
		kind->n_early++;
		before = lost;
	}
	charge(&kind->lag[LAG_HELD], before, on_path);
	charge(&kind->lag[LAG_BEGIN], lost - before, on_path);
	if (2ull * n_created >= gather->clues->facts[kind - gather->clues->kind].n_begun)
		charge(&kind->one_creator, lost, on_path);
}

#define BURIAL_COSTS .1 /* workers, meanwhile: else it is not worth a mark */
/* The tasks of a kind were buried once more, which cost `lost`. */
static void note_burial(struct kind_clues *kind, const struct gather *gather,
			const struct parked *parked, double lost)
{
	const struct dag *dag = gather->clues->dag;
	struct burial *burial = &kind->burial;
	uint64_t now = gather->sweep.now_ns;

	burial->n++;
	if (lost >= BURIAL_COSTS * real_of(now - parked->since_ns))
		when_add(&burial->when, gather->clues->begin_ns, gather->clues->end_ns,
			 parked->since_ns, now);
	if (now - parked->since_ns < burial->to_ns - burial->from_ns)
		return;
	burial->from_ns = parked->since_ns;
	burial->to_ns = now;
	burial->over = dag_kind(dag, parked->over);
	burial->worker = dag->strand[parked->stopped].worker;
}

/* A task goes on: what it lost while its worker ran others, and otherwise. */
static void charge_next(struct gather *gather, const struct starting *now, double lost)
{
	const struct parked *parked = now->parked;
	struct wait_clues *barrier = barrier_at(gather, now->pred);

	if (barrier) {
		barrier->n_met++;
		barrier->member = dag_kind(gather->clues->dag, now->s);
	}
	if (parked && parked->over != STRAND_NONE) {
		double buried =
			least(lost, positive(seats_ran(&gather->watch, now->seat) - parked->ran));

		charge(&now->kind->lag[seats_burial(&gather->watch, parked)], buried, now->on_path);
		note_burial(now->kind, gather, parked, buried);
		lost -= buried;
	}
	charge(lag_of(gather, now->s, gather->sweep.edge, parked), lost, now->on_path);
}

/* The strand that ended to wait, and its worker has run nothing since, or only tasks meanwhile. */
static strand_id waited_with(const struct gather *gather, const struct starting *now)
{
	const struct dag *dag = gather->clues->dag;
	strand_id last = now->seat->last;

	if (last == STRAND_NONE || now->seat->running != STRAND_NONE)
		return STRAND_NONE;
	if (dag_wait_number(dag, last))
		return last;
	return !now->first && ahead_flags(gather->ahead, dag, last) & AHEAD_IDLE_WAIT ? now->pred
										      : STRAND_NONE;
}

/* What the worker lost while its task waited, and nothing else could be done. */
static void charge_wait(struct gather *gather, const struct starting *now)
{
	const struct dag *dag = gather->clues->dag;
	const struct seats *watch = &gather->watch;
	const struct seat *seat = now->seat;
	strand_id waits = waited_with(gather, now);
	struct wait_clues *wait;
	task_id waiter;
	uint8_t flags;

	if (waits == STRAND_NONE)
		return;
	wait = &gather->clues->wait[dag_wait_number(dag, waits)];
	waiter = dag->strand[waits].task;
	flags = ahead_flags(gather->ahead, dag, seat->last);
	wait->n_waits += waits == seat->last;
	wait->kind = dag_kind(dag, waits);
	if (now->first && dag->strand[now->s].task != waiter && now->pred != STRAND_NONE &&
	    dag->strand[now->pred].task != waiter)
		wait->took_others++;
	if (flags & AHEAD_BLOCKED) {
		uint64_t ns = gather->sweep.now_ns - seat->idle_ns;

		charge(&wait->lock, watch->locked - seat->waiting_from, false);
		wait->n_lock++;
		wait->lock_max_ns = ns > wait->lock_max_ns ? ns : wait->lock_max_ns;
	} else if (flags & AHEAD_IDLE_WAIT && watch->barred > seat->waiting_from) {
		charge(&wait->barred, watch->barred - seat->waiting_from, false);
		wait->n_barred++;
	}
}

/* The worker seems to have had no CPU: what that takes tells nothing of the runtime. */
static bool waited_for_cpu(const struct gather *gather, uint32_t worker, uint64_t ns)
{
	return ns > COST_MOST_NS && gather->waits.n && gather->waits.part[worker] > 0;
}

/* What the worker lost while its task took a lock that was free, or released one. */
static void charge_call(struct gather *gather, const struct starting *now)
{
	const struct dag *dag = gather->clues->dag;
	strand_id s = now->s, pred = now->pred;
	const struct seat *seat = now->seat;
	uint64_t ns = gather->sweep.now_ns - seat->idle_ns;
	struct wait_clues *wait;

	if (now->first || pred == STRAND_NONE || dag_is_node(dag, pred))
		return;
	if (dag_wait_of(dag, pred) && wait_blocks(dag_wait_of(dag, pred)->what))
		gather->entered[dag->strand[s].task] = dag_wait_number(dag, pred);
	if (seat->last != pred || seat->running != STRAND_NONE ||
	    !(ahead_flags(gather->ahead, dag, pred) & AHEAD_CALLS))
		return;
	wait = entered_at(gather, s);
	charge(calls_of(gather, wait), gather->watch.called - seat->waiting_from, false);
	wait->kind = (kind_id)(now->kind - gather->clues->kind);
	wait->n_free += (dag->how[pred] & STRAND_ENDED_BY) == WIRE_WAIT;
	if (waited_for_cpu(gather, dag->strand[s].worker, ns))
		return;
	wait->n_calls++;
	wait->calls_ns += ns < COST_MOST_NS ? ns : COST_MOST_NS;
}

/* How long both the strand and its worker could have gone on. */
static void note_cost(struct gather *gather, const struct starting *now)
{
	const struct dag *dag = gather->clues->dag;
	strand_id pred = now->pred, from = gather->sweep.releaser;
	const struct seat *seat = now->seat;
	struct kind_clues *kind = now->kind;
	kind_id created = AHEAD_NO_KIND;
	bool here;
	uint64_t since;
	enum cost_of of;

	if (from == STRAND_NONE || seat->running != STRAND_NONE)
		return;
	here = dag->strand[from].worker == dag->strand[now->s].worker;
	since = dag_end(dag, from);
	if (seat->last != STRAND_NONE && seat->idle_ns > since)
		since = seat->idle_ns;
	if (!now->first && pred != STRAND_NONE)
		created = ahead_creates(gather->ahead, dag, pred);
	if (now->first) {
		of = here ? COST_BEGIN : COST_STEAL;
		kind->n_stolen += !here;
	} else if (created == AHEAD_NO_KIND) {
		of = COST_RESUME;
	} else {
		of = !here && pred == from ? COST_LOOP : COST_CALL;
		kind = &gather->clues->kind[created];
		kind->n_loop_stolen += of == COST_LOOP;
	}
	since = gather->sweep.now_ns - since;
	if (waited_for_cpu(gather, dag->strand[now->s].worker, since)) {
		cost_add_unknown(kind, of);
		return;
	}
	cost_add(kind, of, since);
}

/* The task yielded, and its worker had nothing else to run. */
static void note_yield(const struct starting *now, const struct dag *dag, uint64_t now_ns)
{
	if (now->first || now->pred == STRAND_NONE || now->seat->last != now->pred ||
	    now->seat->running != STRAND_NONE ||
	    (dag->how[now->pred] & STRAND_ENDED_BY) != WIRE_YIELD)
		return;
	now->kind->n_yields++;
	now->kind->yields_ns += now_ns - now->seat->idle_ns;
}

/* The strand stands for a part of a task that yielded, within it and at its end. */
static void note_yields_inside(const struct starting *now, const struct dag *dag)
{
	const struct collapsed *collapsed = dag_collapsed(dag, now->s);

	if (!collapsed || collapsed->n_tasks || !collapsed->n_waited ||
	    (dag->how[now->s] & STRAND_ENDED_BY) != WIRE_YIELD)
		return;
	now->kind->n_yields += collapsed->n_waited;
	for (unsigned more = 0; more < 2; more++)
		now->kind->yields_ns += collapsed->next_ns[more][EDGE_WAIT_CONT];
}

/* It is the member of a new region that goes on where that was opened. */
static bool opens_region(const struct dag *dag, const struct starting *now)
{
	return now->first && now->pred != STRAND_NONE && !dag_is_node(dag, now->pred) &&
	       (dag->how[now->pred] & STRAND_ENDED_BY) == WIRE_FORK &&
	       dag->strand[now->pred].worker == dag->strand[now->s].worker;
}

static void gather_start(struct gather *gather)
{
	const struct dag *dag = gather->clues->dag;
	const struct sweep *sweep = &gather->sweep;
	strand_id s = sweep->strand;
	bool first = dag->how[s] & STRAND_FIRST;
	struct starting now = { .s = s,
				.pred = dag->strand[s].pred,
				.seat = &gather->watch.seat[dag->strand[s].worker],
				.kind = &gather->clues->kind[dag_kind(dag, s)],
				.parked = first ? NULL : seats_parked(&gather->watch, s),
				.first = first,
				.on_path = is_on_path(gather) };

	note_cost(gather, &now);

	now.kind->n_strands++;
	now.kind->n_forks += (dag->how[s] & STRAND_ENDED_BY) == WIRE_FORK;
	if (opens_region(dag, &now)) {
		now.kind->n_regions++;
		now.kind->n_nested += dag->kind_what[dag_kind(dag, now.pred)] == KIND_IMPLICIT;
	}
	note_yield(&now, dag, sweep->now_ns);
	note_yields_inside(&now, dag);
	charge_wait(gather, &now);
	if (gather->entered)
		charge_call(gather, &now);
	if (sweep->releaser != STRAND_NONE) {
		double lost =
			gather->watch.lost - seats_lost_at_end(&gather->watch, sweep->releaser);

		if (first)
			charge_first(gather, &now, positive(lost));
		else
			charge_next(gather, &now, positive(lost));
	}
	seats_start(&gather->watch, now.parked);
}

/* Tasks of one strand: how long, beside how many, and where. */
#define FEW 4 /* of the further workers: a quarter */
SWEEP_INLINE void note_work(struct gather *gather, bool plain)
{
	const struct dag *dag = gather->clues->dag;
	strand_id s = gather->sweep.strand, pred = dag->strand[s].pred;
	const struct seat *seat = &gather->watch.seat[dag->strand[s].worker];
	uint64_t length = dag_length(dag, s);
	double more = dag->n_workers - 1, busy;
	struct kind_clues *kind = &gather->clues->kind[dag_kind(dag, s)];
	bool here = pred != STRAND_NONE && dag->strand[pred].worker == dag->strand[s].worker;

	if (seat->running != s || !(dag->how[s] & STRAND_FIRST) || length == 0 || more == 0 ||
	    (dag->how[s] & STRAND_ENDED_BY) != WIRE_END || (!plain && dag_collapsed(dag, s)))
		return;
	busy = (gather->watch.busy - seat->busy_from) / (double)length - 1;
	cost_add(kind, here ? WORK_LOCAL : WORK_STOLEN, length);
	if (busy <= more / FEW) {
		cost_add(kind, WORK_ALONE, length);
	} else if (busy >= more - more / FEW) {
		cost_add(kind, WORK_BESIDE, length);
	}
}

SWEEP_INLINE void sweep_steps(struct gather *gather, bool plain)
{
	const struct dag *dag = gather->clues->dag;
	enum sweep_what what;

	while ((what = sweep_step_of(&gather->sweep, plain)) != SWEEP_OVER) {
		if (what == SWEEP_TIME) {
			charge_time(gather, plain);
		} else if (what == SWEEP_START) {
			if (gather->waits.n)
				machine_waits_turn(&gather->waits,
						   dag->strand[gather->sweep.strand].worker, true);
			gather_start(gather);
		} else if (what == SWEEP_END) {
			gather->clues->ran_ns[dag->strand[gather->sweep.strand].worker] +=
				dag_length(dag, gather->sweep.strand);
			note_work(gather, plain);
			seats_end(&gather->watch);
			if (gather->waits.n)
				machine_waits_turn(&gather->waits,
						   dag->strand[gather->sweep.strand].worker, false);
		}
	}
	parts_finish(&gather->parts);
}

static void sweep_all_of_it(struct gather *gather)
{
	if (gather->sweep.plain)
		sweep_steps(gather, true);
	else
		sweep_steps(gather, false);
}

/* ---- the memory of what is gathered ---- */

static void clues_open(struct clues *clues, const struct findings_of *of)
{
	const struct dag *dag = of->dag;

	clues->dag = dag;
	clues->select = of->select;
	clues->end_ns = dag->elapsed_ns;
	if (of->select && of->select->n) {
		clues->begin_ns = of->select->span[0].from_ns;
		clues->end_ns = of->select->span[of->select->n - 1].to_ns;
	}
	clues->facts = of->facts;
	clues->rounds = of->ahead ? of->rounds : &clues->own_rounds;
	clues->kind = xcalloc(dag->n_kinds + 1ull, sizeof(*clues->kind));
	clues->wait = xcalloc(dag->n_waits + 1ull, sizeof(*clues->wait));
	clues->ran_ns = xcalloc(dag->n_slots + 1ull, sizeof(*clues->ran_ns));
}

void clues_free(struct clues *clues)
{
	for (uint32_t k = 0; clues->kind && k < clues->dag->n_kinds; k++)
		free(clues->kind[k].cost);
	free(clues->kind);
	free(clues->wait);
	free(clues->ran_ns);
	free(clues->part);
	rounds_free(&clues->own_rounds);
	*clues = (struct clues){ 0 };
}

/* ---- all of it ---- */

void clues_gather(struct clues *clues, const struct findings_of *of)
{
	const struct dag *dag = of->dag;
	struct sweep_scope scope = sweep_all(dag, of->pauses, of->select);
	struct ahead own = { 0 };
	struct gather gather = { .clues = clues, .ahead = of->ahead ? of->ahead : &own };

	clues_open(clues, of);
	if (dag->n_objects)
		gather.entered = xcalloc(dag->n_tasks + 1ull, sizeof(*gather.entered));
	if (!of->ahead)
		ahead_build(&own, &clues->own_rounds, dag);
	parts_open(&gather.parts, clues, of, gather.ahead);
	machine_waits_open(&gather.waits, of->machine, dag);
	if (of->path->n) {
		sweep_open(&gather.sweep, dag, of->path, &scope);
		seats_open(&gather.watch, &gather.sweep, gather.ahead);
		sweep_all_of_it(&gather);
	}
	machine_waits_close(&gather.waits);
	seats_close(&gather.watch);
	sweep_close(&gather.sweep);
	parts_close(&gather.parts);
	ahead_free(&own);
	free(gather.entered);
}
