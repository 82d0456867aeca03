/* SPDX-License-Identifier: MIT */
/* sim.c - leads; the memory of a simulation, and its first state: all workers idle, nothing ready.
 */
#include "tools/model/sim.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/large.h"
#include "tools/base/xalloc.h"

/* ---- leads ---- */

static const enum cost cost_of_lead[LEADS] = {
	[LEAD_CREATE] = COST_CREATE, [LEAD_CALL] = COST_LOCK,	[LEAD_BEGIN] = COST_BEGIN,
	[LEAD_BACK] = COST_BEGIN,    [LEAD_TAKE] = COST_STEAL,	[LEAD_WAKE] = COST_STEAL,
	[LEAD_RESUME] = COST_WAIT,   [LEAD_REJOIN] = COST_WAIT, [LEAD_HANDOVER] = COST_LOCK,
	[LEAD_MEMBER] = COST_FORK,   [LEAD_YIELD] = COST_LOCK,	[LEAD_OUTSIDE] = COST_OUTSIDE,
};

/* Leads that depend on what other workers did at that time; others are as recorded, if they can. */
static bool is_chance(enum lead of)
{
	return of == LEAD_TAKE || of == LEAD_WAKE || of == LEAD_REJOIN || of == LEAD_HANDOVER ||
	       of == LEAD_MEMBER;
}

uint64_t sim_draw(struct sim *sim, enum lead of)
{
	return cost_changed(&sim->changes->cost[cost_of_lead[of]],
			    lead_draw(sim->leads, of, sim_random(sim)));
}

static bool is_of_wait(enum lead of)
{
	return of == LEAD_RESUME || of == LEAD_REJOIN || of == LEAD_HANDOVER;
}

/* Whether a strand that begins so in the simulation takes what it took in the trace. */
static bool is_as_recorded(const struct sim *sim, enum lead recorded, enum lead of)
{
	if (sim->policy.in_turn) /* the schedule leaves little to chance */
		return recorded == of || (is_of_wait(recorded) && is_of_wait(of));
	return recorded == of && !is_chance(of);
}

uint64_t sim_lead(struct sim *sim, const struct step *step, enum lead of)
{
	if (step->flags & STEP_FIXED)
		return step->lead;
	if (step->lead_of == LEAD_OUTSIDE)
		of = LEAD_OUTSIDE; /* the wait itself, or a thread's start, whatever the schedule */
	if (step->lead_of == LEAD_YIELD)
		of = LEAD_YIELD;
	if (!is_as_recorded(sim, step->lead_of, of))
		return sim_draw(sim, of);
	return cost_changed(&sim->changes->cost[cost_of_lead[of]], step->lead);
}

/* A thread starts once: each of its own on the recorded number of workers. */
static uint64_t first_search(struct sim *sim)
{
	const struct searches *searches = sim->searches;
	uint32_t i = sim->as_recorded ? sim->n_first++ : sim_below(sim, searches->n_first);
	uint64_t ns = searches->first[i];

	return ns > sim->risk_ns ? ns - sim->risk_ns : 0;
}

static uint64_t any_search(struct sim *sim, uint32_t worker, enum lead of)
{
	const struct searches *searches = sim->searches;
	const struct lead_spread *spread =
		&searches->of[of == LEAD_TAKE ? SEARCH_AT_ONCE : SEARCH_WOKEN];

	if (!sim->worker[worker].began && sim->n_first < searches->n_first)
		return first_search(sim);
	if (spread->n_bins)
		return lead_spread_draw(spread, sim_random(sim));
	return sim->as_recorded && searches->none ? SEARCH_NEVER
						  : lead_draw(sim->leads, of, sim_random(sim));
}

uint64_t sim_search(struct sim *sim, uint32_t worker, enum lead of)
{
	const struct cost_change *change = &sim->changes->cost[cost_of_lead[of]];
	uint64_t ns = any_search(sim, worker, of);

	if (ns == SEARCH_NEVER && !change->fixed)
		return SEARCH_NEVER;
	return cost_changed(change, ns);
}

uint64_t sim_scaled(const struct sim *sim, strand_id s, uint64_t ns)
{
	if (!sim->scale)
		return ns;
	return (uint64_t)((double)ns * sim->scale[dag_kind(sim->graph->dag, s)] + .5);
}

uint64_t sim_length(struct sim *sim, uint32_t worker, strand_id s)
{
	uint32_t group = sim->fits ? fits_group(sim->fits, s) : UINT32_MAX;
	uint8_t *warm;
	bool first;

	if (group == UINT32_MAX)
		return sim_scaled(sim, s, sim->graph->step[s].length);
	warm = &sim->warm[(uint64_t)worker * sim->fits->n + group];
	first = !*warm;
	*warm = 1;
	return sim_scaled(sim, s, fits_draw(sim->fits, group, s, first, sim->seed));
}

/* ---- memory ---- */

void sim_allocate(struct sim *sim)
{
	const struct graph *graph = sim->graph;
	uint32_t n = sim->n_workers;

	sim->item_room = sim->n_tasks + 1ull;
	sim->missing = large_alloc(graph->n_steps + 1ull, sizeof(*sim->missing));
	sim->item = large_alloc(sim->item_room, sizeof(*sim->item));
	sim->worker = xmalloc(n * sizeof(*sim->worker));
	sim->agenda = xmalloc(n * sizeof(*sim->agenda));
	sim->agenda_at = xmalloc(n * sizeof(*sim->agenda_at));
	for (int pool = 0; pool < POOLS; pool++)
		sim->idle[pool] = xmalloc(n * sizeof(**sim->idle));
	sim->seeker = xmalloc(n * sizeof(*sim->seeker));
	if (sim->fits)
		sim->warm = xcalloc((uint64_t)n * sim->fits->n + 1, 1);
	if (sim->scaling)
		sim->scale = xmalloc((graph->dag->n_kinds + 1ull) * sizeof(*sim->scale));
	sim->holder = xmalloc(n * sizeof(*sim->holder));
	sim->lock = xmalloc((graph->lock_room + 1ull) * sizeof(*sim->lock));
	if (sim->policy.bar == BAR_CHILDREN && sim->policy.queue == QUEUE_CENTRAL)
		sim->sibling = xmalloc(sim->item_room * sizeof(*sim->sibling));
	if (sim->policy.bar != BAR_NOTHING)
		sim->idle_on = xcalloc(sim->n_tasks / 8 + 1, 1);
	if (sim->policy.held)
		sim->held = xmalloc(sim->item_room * sizeof(*sim->held));
	if (sim->policy.queue == QUEUE_CRITICAL)
		ranked_open(&sim->ranked, graph->n_steps, graph->n_parts);
}

/* Workers that stay away, as they did; with steals at another cost, they do not. */
static uint32_t n_away_of(const struct sim *sim)
{
	bool as_recorded = sim->as_recorded && !sim->changes->cost[COST_STEAL].fixed;

	return as_recorded ? (uint32_t)at_most(sim->n_workers - 1, sim->searches->n_never) : 0;
}

void sim_set_up(struct sim *sim)
{
	static const struct queue empty = { NONE, NONE, 0 };
	const struct graph *graph = sim->graph;
	uint32_t n_away = n_away_of(sim);

	memcpy(sim->missing, graph->n_into, graph->n_steps * sizeof(*sim->missing));
	sim->central = sim->urgent = sim->members = empty;
	sim->n_items = sim->n_tasks;
	sim->free_item = NONE;
	for (task_id t = 0; t < sim->n_tasks; t++) {
		sim->item[t] = (struct item){ 0 };
		if (sim->sibling)
			sim->sibling[t] = (struct sibling){ NONE, NONE, NONE };
		if (sim->held)
			sim->held[t] = empty;
	}
	for (kind_id kind = 0; sim->scale && kind < graph->dag->n_kinds; kind++)
		sim->scale[kind] = scaling_at(sim->scaling, kind, sim->n_workers);
	for (uint32_t l = 0; l < graph->lock_room; l++)
		sim->lock[l] = (struct lock_state){ TASK_NONE, 0, NONE, NONE };
	for (uint32_t w = sim->n_workers; w-- > 0;) {
		sim->agenda_at[w] = NONE;
		sim->worker[w] = (struct virtual_worker){ .running = STRAND_NONE,
							  .top = NONE,
							  .mine = empty,
							  .idle_at = NONE,
							  .idle_top = NONE,
							  .holds_at = NONE,
							  .seeks_at = NONE,
							  .left_ns = NOT_DRAWN,
							  .last_victim = NONE };
		if (sim->n_workers - w <= n_away)
			sim_rest(sim, w);
		else
			sim_idle(sim, w);
	}
}

void sim_free(struct sim *sim)
{
	free(sim->missing);
	free(sim->item);
	free(sim->sibling);
	free(sim->held);
	free(sim->lock);
	free(sim->worker);
	free(sim->agenda);
	free(sim->agenda_at);
	for (int pool = 0; pool < POOLS; pool++)
		free(sim->idle[pool]);
	free(sim->idle_on);
	free(sim->seeker);
	free(sim->warm);
	free(sim->scale);
	free(sim->holder);
	free(sim->n_left);
	free(sim->ring.slot);
	ranked_close(&sim->ranked);
}
