/* SPDX-License-Identifier: MIT */
/*
 * sim.h - what the floors of a simulation offer to those above:
 * agenda, common <- queues <- sim <- workers <- simulate.
 */
#pragma once

#include "tools/base/random.h"
#include "tools/model/sim_state.h"

static inline uint64_t sim_random(struct sim *sim)
{
	return random_next(&sim->random);
}

static inline uint32_t sim_below(struct sim *sim, uint32_t n)
{
	return (uint32_t)((sim_random(sim) >> 32) * n >> 32);
}

/* ---- sim.c ---- */

/* Of a zeroed state that has graph, policy and workers. */
void sim_allocate(struct sim *sim);
void sim_set_up(struct sim *sim);
void sim_free(struct sim *sim); /* what was allocated */

/* A lead of that class, drawn; that of a step which begins so: as recorded, if it began so there.
 */
uint64_t sim_draw(struct sim *sim, enum lead of);
uint64_t sim_lead(struct sim *sim, const struct step *step, enum lead of);
/* How long the step takes on that worker, which begins it. */
uint64_t sim_length(struct sim *sim, uint32_t worker, strand_id s);
/* Of one worker, on as many as there are. */
uint64_t sim_scaled(const struct sim *sim, strand_id s, uint64_t ns);
/* How long that worker's search takes; SEARCH_NEVER. */
uint64_t sim_search(struct sim *sim, uint32_t worker, enum lead of);

/* ---- agenda.c: who is next ---- */

/* The worker's event is at that time, whether it had one or not. */
void agenda_set(struct sim *sim, uint32_t worker, uint64_t ns);
void agenda_remove(struct sim *sim, uint32_t worker);	    /* fine without one */
uint64_t agenda_ns(const struct sim *sim, uint32_t worker); /* when its event is */
uint32_t agenda_next(const struct sim *sim);		    /* the worker; NONE */

/* ---- common.c: what any worker may take ---- */

void ring_push(struct sim *sim, uint32_t item, bool as_oldest);
uint32_t ring_pop(struct sim *sim); /* the oldest; NONE */

void ranked_open(struct ranked *ranked, uint32_t n_steps, uint32_t n_parts);
void ranked_close(struct ranked *ranked); /* a zeroed one is fine */
void ranked_push(struct sim *sim, uint32_t item);
uint32_t ranked_pop(struct sim *sim); /* the longest way; NONE */

/* ---- queues.c: what is ready, and who may take it ---- */

void queue_push(struct sim *sim, struct queue *queue, uint32_t item); /* as the newest */
void queue_remove(struct sim *sim, struct queue *queue, uint32_t item);

/* What may not be taken by a worker whose task waits. */
enum policy_bar sim_bar(const struct sim *sim, uint32_t worker);

/* Makes the item ready, by that worker, where the policy puts it.  The worker whose it is. */
uint32_t sim_put(struct sim *sim, uint32_t item, uint32_t worker);
void sim_put_member(struct sim *sim, uint32_t item, uint32_t worker);
/* An item for so many parts of the step. */
uint32_t sim_parts(struct sim *sim, strand_id step, uint32_t n);

/* An item that the worker may take, taken out of its queue, or NONE: of its own queue, or a common
 * one; and of another worker's. */
uint32_t sim_take(struct sim *sim, uint32_t worker);
uint32_t sim_steal(struct sim *sim, uint32_t worker);
/* Whether sim_steal() would find any. */
bool sim_could_steal(struct sim *sim, uint32_t worker);
/* Any item at all; NONE if there is none. */
uint32_t sim_take_any(struct sim *sim);

void sim_idle(struct sim *sim, uint32_t worker);
void sim_rest(struct sim *sim, uint32_t worker);     /* idle, and not woken to steal */
void sim_not_idle(struct sim *sim, uint32_t worker); /* fine if it is not */
/* An idle worker that is to look for the item, which a worker put; NONE. */
uint32_t sim_whom_to_wake(struct sim *sim, uint32_t item, uint32_t worker);

/* ---- workers.c: what they begin, and how they look for more ---- */

/* The worker begins the step, or what it took.  `paid`: the lead is over. */
void worker_begin(struct sim *sim, uint32_t worker, strand_id s, enum lead of, bool paid);
void worker_begin_item(struct sim *sim, uint32_t worker, uint32_t item, bool paid);
/* Goes on with the task on top of the stack; false if that is not ready. */
bool worker_goes_on(struct sim *sim, uint32_t worker, enum lead of, bool paid);

/* Makes the item ready, and has somebody look for it. */
void worker_put(struct sim *sim, uint32_t item, uint32_t worker);
void worker_wake(struct sim *sim, uint32_t item, uint32_t worker);

void worker_look(struct sim *sim, uint32_t worker);    /* its strand has ended */
void worker_arrives(struct sim *sim, uint32_t worker); /* its search has ended */
/* After each event: time passes for as many searches as there is something to be found. */
void worker_balance(struct sim *sim);
