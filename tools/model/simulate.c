/* SPDX-License-Identifier: MIT */
/* simulate.c - what the end of each strand lets go on, and what workers do next. */
#include "tools/model/simulate.h"

#include <errno.h>

#include "tools/model/sim.h"

/* ---- tasks that wait ---- */

static bool stays(const struct sim *sim, task_id task)
{
	return sim->policy.tied || (sim->policy.main_stays &&
				    sim->graph->step[sim->item[task].at].flags & STEP_OF_ROOT);
}

static void push(struct sim *sim, uint32_t task, uint32_t worker)
{
	sim->item[task].below = sim->worker[worker].top;
	sim->worker[worker].top = task;
}

/* What the waiting task waited for is over, by that worker. */
static void resume(struct sim *sim, task_id task, uint32_t worker, enum lead of)
{
	struct item *item = &sim->item[task];
	struct virtual_worker *home = &sim->worker[item->worker];

	if (!stays(sim, task)) {
		worker_put(sim, task, worker);
		return;
	}
	item->where = STACKED;
	sim->n_ready++;
	if (home->top == task && home->busy != BUSY)
		worker_goes_on(sim, item->worker, of, false);
}

static void suspend(struct sim *sim, task_id task, uint32_t worker, uint8_t wait)
{
	struct item *item = &sim->item[task];

	item->where = SUSPENDED;
	item->worker = (uint16_t)worker;
	item->wait = (item->wait & ITEM_DEFERRED) | wait;
	if (stays(sim, task))
		push(sim, task, worker);
}

/* The children that were held until their parent waits. */
static void let_go(struct sim *sim, task_id task, uint32_t worker)
{
	struct queue *held = sim->held ? &sim->held[task] : NULL;

	while (held && held->n) {
		uint32_t child = held->oldest;

		queue_remove(sim, held, child);
		sim->n_ready--;
		worker_put(sim, child, worker);
	}
}

/* ---- what is released ---- */

static void task_ready(struct sim *sim, task_id task, uint32_t worker)
{
	task_id parent = sim->held ? sim->graph->parent[task] : TASK_NONE;

	if (parent != TASK_NONE && sim->item[parent].where == RUNS) {
		sim->item[task].where = HELD;
		sim->item[task].worker = (uint16_t)worker;
		sim->n_ready++;
		queue_push(sim, &sim->held[parent], task);
		return;
	}
	worker_put(sim, task, worker);
}

/* A team has a worker for each member: its forker's for the one that ran there, an idle one for
 * another one. */
static void member_ready(struct sim *sim, const struct step *step, uint32_t worker)
{
	enum pool pool = sim->n_idle[FREE] ? FREE : RESTING;

	if (step->lead_of != LEAD_BEGIN && sim->n_idle[pool]) {
		sim->outcome->n_steals++; /* as reports count them */
		worker_begin(sim, sim->idle[pool][sim_below(sim, sim->n_idle[pool])],
			     sim->item[step->task].at, LEAD_MEMBER, false);
		return;
	}
	sim_put_member(sim, step->task, worker);
	if (sim->members.n > 1) /* the forker itself takes one */
		worker_wake(sim, step->task, worker);
}

/* One fewer that the step waits for: whether it is ready. */
static bool is_last(struct sim *sim, strand_id s)
{
	return sim->graph->step[s].flags & STEP_ALONE || --sim->missing[s] == 0;
}

static void release(struct sim *sim, strand_id s, uint32_t worker);

static void release_out(struct sim *sim, const struct step *step, uint32_t worker)
{
	uint32_t n;
	const strand_id *out = graph_out(sim->graph, step, &n);

	for (uint32_t o = 0; o < n; o++)
		release(sim, out[o], worker);
}

static void release(struct sim *sim, strand_id s, uint32_t worker)
{
	const struct step *step = &sim->graph->step[s];

	if (!is_last(sim, s))
		return;
	if (step->flags & STEP_NODE) {
		release_out(sim, step, worker);
		return;
	}
	sim->item[step->task].at = s;
	if (!(step->flags & STEP_FIRST)) {
		resume(sim, step->task, worker, LEAD_REJOIN);
	} else if (step->flags & STEP_MEMBER) {
		member_ready(sim, step, worker);
	} else {
		task_ready(sim, step->task, worker);
	}
}

/* ---- locks ---- */

/* Linked one way: a tied task is on a stack besides. */
static void await(struct sim *sim, struct lock_state *lock, task_id task)
{
	sim->item[task].after = NONE;
	if (lock->oldest == NONE)
		lock->oldest = task;
	else
		sim->item[lock->newest].after = task;
	lock->newest = task;
}

static void enter(struct sim *sim, uint32_t worker, const struct step *step,
		  struct lock_state *lock)
{
	task_id task = step->task;

	if (lock->holder == TASK_NONE || lock->holder == task) {
		lock->holder = task;
		lock->depth++;
		worker_begin(sim, worker, step->next, LEAD_CALL, false);
		return;
	}
	suspend(sim, task, worker, 0);
	sim->item[task].where = LOCKED;
	await(sim, lock, task);
	if (!sim->policy.tied) {
		worker_look(sim, worker);
		return;
	}
	sim->n_running--;
	sim->n_blocked++;
	sim->worker[worker].busy = BLOCKED;
	agenda_remove(sim, worker);
}

static void leave(struct sim *sim, uint32_t worker, task_id task, struct lock_state *lock)
{
	uint32_t next = lock->oldest;

	if (lock->holder != task || --lock->depth)
		return;
	lock->holder = next;
	if (next == NONE)
		return;
	lock->depth = 1;
	lock->oldest = sim->item[next].after;
	sim->item[next].where = SUSPENDED;
	resume(sim, next, worker, LEAD_HANDOVER);
}

/* ---- the end of a strand ---- */

/* Whether tasks are so many that the creation has to run its own. */
static bool is_full(const struct sim *sim, uint32_t worker)
{
	const struct policy *policy = &sim->policy;

	return (policy->throttle && sim->n_open > (uint64_t)policy->throttle * sim->n_workers) ||
	       (policy->room && sim->worker[worker].mine.n >= policy->room);
}

/* The task's own next step, once `ready`; else it waits. */
static void next_step(struct sim *sim, uint32_t worker, const struct step *step, bool ready,
		      enum lead of)
{
	if (ready) {
		worker_begin(sim, worker, step->next, of, false);
		return;
	}
	if (step->next != STRAND_NONE) {
		suspend(sim, step->task, worker, step->end == STEP_WAITS ? step->wait : 0);
		let_go(sim, step->task, worker);
	}
	worker_look(sim, worker);
}

/* The child runs at once; the parent goes on later, here or elsewhere. */
static void run_child(struct sim *sim, uint32_t worker, const struct step *step, bool ready)
{
	if (step->next != STRAND_NONE) {
		suspend(sim, step->task, worker, 0);
		if (ready && sim->policy.tied) {
			sim->item[step->task].where = STACKED;
			sim->n_ready++;
		}
	}
	worker_begin(sim, worker, step->child, LEAD_BEGIN, false);
	if (step->next != STRAND_NONE && ready && !sim->policy.tied)
		worker_put(sim, step->task, worker);
}

/* The child is done by another task. */
static void skip_child(struct sim *sim, uint32_t worker, strand_id child)
{
	const struct step *step = &sim->graph->step[child];

	sim->n_done++;
	sim->item[step->task].where = OVER;
	if (sim->placed)
		sim->placed[child] = (struct placed){ sim->now_ns, sim->now_ns, worker };
	release_out(sim, step, worker);
}

static void created(struct sim *sim, uint32_t worker, const struct step *step, bool ready)
{
	bool any = step->child != STRAND_NONE;
	bool child_ready = any && is_last(sim, step->child);
	task_id child = any ? sim->graph->step[step->child].task : TASK_NONE;
	bool full = is_full(sim, worker);
	bool apart = sim->policy.apart && worker == 0;

	if (any && sim->graph->task_flags[child] & GRAPH_MERGED) {
		skip_child(sim, worker, step->child);
		next_step(sim, worker, step, ready, LEAD_CREATE);
		return;
	}
	if (any)
		sim->item[child].at = step->child;
	if (child_ready && !apart &&
	    (step->flags & STEP_UNDEFERRED || full || sim->policy.child_first)) {
		sim->outcome->n_at_once += full;
		run_child(sim, worker, step, ready);
		return;
	}
	if (any) {
		sim->item[child].wait = ITEM_DEFERRED;
		sim->n_open++;
	}
	if (child_ready)
		task_ready(sim, child, worker);
	next_step(sim, worker, step, ready, LEAD_CREATE);
}

static void task_over(struct sim *sim, uint32_t worker, task_id task)
{
	let_go(sim, task, worker);
	sim->n_open -= sim->item[task].wait & ITEM_DEFERRED ? 1 : 0;
	sim->item[task].where = OVER;
}

static void strand_ends(struct sim *sim, uint32_t worker, strand_id s)
{
	const struct step *step = &sim->graph->step[s];
	bool ready;

	sim->n_done++;
	if (sim->placed)
		sim->placed[s].end_ns = sim->now_ns;
	if (step->next != STRAND_NONE)
		sim->item[step->task].at = step->next;
	else
		task_over(sim, worker, step->task);
	release_out(sim, step, worker);
	/* last, so that a barrier that lets the task itself go on finds it running */
	ready = step->next != STRAND_NONE && is_last(sim, step->next);
	switch ((enum step_end)step->end) {
	case STEP_CREATES:
		created(sim, worker, step, ready);
		return;
	case STEP_LOCKS:
		if (ready)
			enter(sim, worker, step, &sim->lock[sim->graph->lock[s]]);
		else
			next_step(sim, worker, step, ready, LEAD_CALL);
		return;
	case STEP_UNLOCKS:
		leave(sim, worker, step->task, &sim->lock[sim->graph->lock[s]]);
		next_step(sim, worker, step, ready, LEAD_CALL);
		return;
	case STEP_WAITS:
	case STEP_FORKS:
		if (ready)
			let_go(sim, step->task, worker);
		next_step(sim, worker, step, ready, LEAD_RESUME);
		return;
	default:
		next_step(sim, worker, step, ready, LEAD_CALL);
	}
}

static void ends(struct sim *sim, uint32_t worker)
{
	strand_id s = sim->worker[worker].running;

	if (sim->graph->step[s].flags & STEP_PARTS && --sim->missing[s])
		worker_look(sim, worker);
	else
		strand_ends(sim, worker, s);
}

/* ---- when the policy leaves nothing to do ---- */

/* A ready task that is buried in a stack. */
static bool force_buried(struct sim *sim)
{
	for (uint32_t w = 0; w < sim->n_workers; w++) {
		uint32_t *link = &sim->worker[w].top;

		while (*link != NONE && sim->item[*link].where != STACKED)
			link = &sim->item[*link].below;
		if (*link == NONE)
			continue;
		uint32_t task = *link;

		*link = sim->item[task].below;
		sim->n_ready--;
		worker_begin(sim, w, sim->item[task].at, LEAD_RESUME, false);
		return true;
	}
	return false;
}

static bool force_held(struct sim *sim)
{
	for (task_id t = 0; sim->held && t < sim->n_tasks; t++)
		if (sim->held[t].n) {
			let_go(sim, t, sim->item[t].worker);
			return true;
		}
	return false;
}

/* A worker that is not blocked, if there is one, runs something that it may not. */
static bool force(struct sim *sim)
{
	uint32_t worker = 0, item;

	sim->outcome->n_forced++;
	if (force_buried(sim))
		return true;
	item = sim_take_any(sim);
	if (item == NONE)
		return force_held(sim);
	while (worker + 1 < sim->n_workers && sim->worker[worker].busy == BLOCKED)
		worker++;
	worker_begin_item(sim, worker, item, false);
	return true;
}

/* ---- all of it ---- */

/* Of the workers that wait for what is outside, how many do still; *until_ns: when one is back. */
static uint64_t still_away(const struct sim *sim, uint64_t now_ns, uint64_t *until_ns)
{
	uint64_t n = 0;

	for (uint32_t w = 0; w < sim->n_workers; w++) {
		if (sim->worker[w].away_ns <= now_ns)
			continue;
		*until_ns = at_most(*until_ns, sim->worker[w].away_ns);
		n++;
	}
	return n;
}

/* They are as free as others meanwhile: a step that waits for what is outside is not ready. */
static void add_delay(struct sim *sim, uint64_t ns)
{
	uint64_t n_free = sim->n_workers - sim->n_running, at_ns = sim->now_ns, until_ns, n;

	for (; at_ns < ns && sim->n_away; at_ns = until_ns) {
		until_ns = ns;
		n = still_away(sim, at_ns, &until_ns);
		sim->outcome->delay_ns += (until_ns - at_ns) * at_most(n_free + n, sim->n_ready);
		sim->n_away = (uint32_t)n;
	}
	sim->outcome->delay_ns += (ns - at_ns) * at_most(n_free, sim->n_ready);
}

static void pass_to(struct sim *sim, uint64_t ns)
{
	uint64_t passed = ns - sim->now_ns;

	add_delay(sim, ns);
	sim->risk_ns += sim->n_queued ? passed : 0;
	sim->outcome->blocked_ns += passed * sim->n_blocked;
	sim->now_ns = ns;
}

/* Who nothing in the trace releases begins as its time comes. */
static void arrive(struct sim *sim, const struct arrival *arrival)
{
	const struct step *step = &sim->graph->step[arrival->step];

	if (step->flags & STEP_NODE) {
		sim->missing[arrival->step] = 1;
		release(sim, arrival->step, 0);
		return;
	}
	sim->item[step->task].at = arrival->step;
	if (sim->worker[0].busy == IDLE && arrival == sim->graph->arrival) {
		worker_begin(sim, 0, arrival->step, LEAD_OUTSIDE, true);
		return;
	}
	if (sim->n_idle[FREE]) { /* a thread of the program needs nobody to wake it */
		worker_begin(sim, sim->idle[FREE][0], arrival->step, LEAD_OUTSIDE, true);
		return;
	}
	sim_put_member(sim, step->task, 0);
}

static int deadlocks(const struct sim *sim, struct err *err)
{
	return err_set(err, EDEADLK,
		       "locks taken in another order deadlock on %u workers under policy %s; "
		       "try --without-lock",
		       sim->n_workers, sim->policy.name);
}

static int run(struct sim *sim, struct err *err)
{
	const struct graph *graph = sim->graph;
	uint64_t n_steps = graph->n_steps - graph->dag->n_nodes;
	uint32_t arrived = 0;

	while (sim->n_done < n_steps && !sim->error) {
		uint32_t worker = agenda_next(sim);

		if (arrived < graph->n_arrivals &&
		    (worker == NONE || graph->arrival[arrived].ns <= agenda_ns(sim, worker))) {
			const struct arrival *next = &graph->arrival[arrived++];

			pass_to(sim, next->ns > sim->now_ns ? next->ns : sim->now_ns);
			arrive(sim, next);
			continue;
		}
		if (worker == NONE) {
			if (!force(sim))
				return deadlocks(sim, err);
			continue;
		}
		pass_to(sim, agenda_ns(sim, worker));
		if (sim->worker[worker].busy == SEARCHES)
			worker_arrives(sim, worker);
		else
			ends(sim, worker);
		worker_balance(sim);
	}
	sim->outcome->elapsed_ns = sim->now_ns;
	sim->outcome->delay_ns += sim->outcome->runtime_ns;
	if (sim->error)
		return err_set(err, EOVERFLOW, "a strand is longer than six days: not supported");
	return 0;
}

int simulate(const struct simulation *simulation, struct outcome *outcome, struct placed *placed,
	     struct err *err)
{
	struct sim sim = { .graph = simulation->graph,
			   .leads = simulation->leads,
			   .ranking = simulation->ranking,
			   .searches = simulation->searches,
			   .fits = simulation->fits,
			   .scaling = simulation->scaling,
			   .seed = simulation->seed,
			   .changes = simulation->changes,
			   .policy = simulation->policy,
			   .n_workers = simulation->n_workers,
			   .n_tasks = simulation->graph->dag->n_tasks,
			   .random = simulation->seed,
			   .outcome = outcome,
			   .placed = placed,
			   .schedule = simulation->schedule };
	struct ranking ranking = { 0 };
	int error;

	if (sim.policy.queue == QUEUE_CRITICAL && !sim.ranking) {
		ranking_build(&ranking, sim.graph);
		sim.ranking = &ranking;
	}
	*outcome = (struct outcome){ .seed = simulation->seed };
	sim.policy.apart &= sim.n_workers > 1;
	sim.as_recorded = sim.n_workers == sim.graph->dag->n_workers;
	sim_allocate(&sim);
	sim_set_up(&sim);
	error = run(&sim, err);
	sim_free(&sim);
	ranking_free(&ranking);
	return error;
}
