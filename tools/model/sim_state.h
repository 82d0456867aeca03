/* SPDX-License-Identifier: MIT */
/*
 * sim_state.h - what a simulation holds.
 *
 * An item is what queues hold: a task, whose step `at` is ready; or, from n_tasks on, parts of a
 * step that are left to be taken.
 */
#pragma once

#include "tools/model/simulate.h"

#define NONE UINT32_MAX

enum where {	      /* a task is */
	     AWAY,    /* not ready to begin */
	     QUEUED,  /* in the central queue, or in a deque */
	     URGENT,  /* in the queue of those that come first */
	     MEMBERS, /* in the queue of implicit tasks and threads */
	     HELD,    /* until its parent waits */
	     RUNS,
	     SUSPENDED, /* waits; on its worker's stack, if tied */
	     STACKED,	/* ready, on its worker's stack */
	     LOCKED,	/* in the queue of a lock */
	     OVER
};

struct item {
	strand_id at;
	union {
		uint32_t before; /* in a queue: older */
		uint32_t below;	 /* on a stack */
	};
	uint32_t after;	 /* in a queue, or waiting for a lock: newer */
	uint16_t worker; /* whose queue or stack it is in, or who released it */
	uint8_t where;	 /* enum where */
	uint8_t wait;	 /* SUSPENDED: enum wire_wait, 0 for anything else */
};
#define ITEM_DEFERRED 128u /* in `wait`: counts for the throttle */

struct queue {
	uint32_t oldest, newest, n;
};

struct ring {
	struct ring_slot {
		uint32_t item;
		strand_id at; /* the item's */
	} * slot;	      /* mask + 1, a power of two; NULL while mask is 0 */
	uint32_t first, n, mask;
};

#define RANKED_FLOORS 6u /* 64^6 > 2^32 */
#define RANKED_FRONT 8u
struct ranked {
	uint64_t *word, *floor[RANKED_FLOORS]; /* the lowest first */
	uint32_t *parts;		       /* by parts of the graph: their newest item; NONE */
	uint32_t floors;
	uint32_t front[RANKED_FRONT], n_front; /* the first ranks */
	uint64_t n;			       /* ranks, but those of the front */
};

enum busy { IDLE, BUSY, SEARCHES, BLOCKED };

/* Idle workers: those that may take anything, those that are barred, those that never steal. */
enum pool { FREE, BARRED, RESTING, POOLS };
#define NOT_DRAWN (UINT64_MAX - 1)

struct virtual_worker {
	strand_id running;
	uint32_t top;	   /* of the stack of tasks that wait here; NONE */
	struct queue mine; /* deque */
	uint32_t idle_at;  /* in idle[]; NONE */
	uint32_t idle_top; /* in idle[]: `top`, if that has its bit in idle_on; NONE */
	uint32_t holds_at; /* in holder[]; NONE */
	uint32_t last_victim;
	uint32_t turn;	   /* policy.in_turn: who gets the next task that it creates */
	uint32_t seeks_at; /* in seeker[]; NONE */
	uint64_t left_ns;  /* of its search, once it was drawn; NOT_DRAWN */
	uint64_t away_ns;  /* until when it waits for what is outside, before it runs */
	uint8_t busy;	   /* enum busy */
	uint8_t pool;	   /* IDLE: enum pool */
	bool began;	   /* ran something */
};

struct sibling {
	uint32_t first, before, after; /* the newest child that is queued; links of its own */
};

struct lock_state {
	task_id holder;
	uint32_t depth;
	uint32_t oldest, newest; /* of the tasks that wait */
};

#define SIM_COMING 16u
struct sim {
	const struct graph *graph;
	const struct leads *leads;
	const struct searches *searches;
	const struct ranking *ranking; /* QUEUE_CRITICAL */
	const struct fits *fits;       /* NULL */
	const struct scaling *scaling; /* NULL */
	double *scale;		       /* by kind: how much longer on n_workers; scaling */
	const struct changes *changes;
	struct policy policy;
	uint32_t n_workers, n_tasks;
	uint64_t random, seed;
	uint64_t now_ns;
	struct outcome *outcome;
	struct placed *placed;
	struct schedule *schedule;

	/* by step, but STEP_ALONE: what it waits for still; of parts: how many run or will */
	uint32_t *missing;
	struct item *item;
	uint32_t *n_left; /* by item, from n_tasks on: how many parts */
	uint64_t item_room, left_room;
	uint32_t n_items, free_item;
	struct sibling *sibling; /* by task; BAR_CHILDREN */
	struct queue *held;	 /* by task; policy.held */
	struct lock_state *lock;
	uint8_t *warm; /* by worker and group of fits: it ran one of them; fits */
	struct virtual_worker *worker;

	struct queue central, urgent, members;
	struct ring ring;     /* instead of `central`, without a bar */
	struct ranked ranked; /* QUEUE_CRITICAL */
	uint64_t *agenda;     /* by time, then by worker: a heap */
	uint32_t *agenda_at;  /* by worker: where in the heap; NONE */
	uint32_t n_agenda;
	uint64_t epoch_ns; /* of the agenda */
	uint32_t *idle[POOLS];
	uint32_t n_idle[POOLS];
	/* by task, a bit: a worker in idle[] has it on top; a policy's bar.  In the cache, where
	 * tasks are not */
	uint8_t *idle_on;
	uint32_t *seeker; /* workers whose search passes */
	uint32_t n_seekers;
	/* steps that the end of others will look at: their tasks are fetched once these came */
	strand_id coming[SIM_COMING];
	uint32_t n_coming;
	bool as_recorded; /* as many workers as there were */
	uint32_t n_first; /* searches->first[] that are used up */
	uint32_t *holder; /* workers whose deque has something */
	uint32_t n_holders;

	uint32_t n_running, n_searching, n_blocked;
	uint32_t n_away; /* of those that run: wait for what is outside (away_ns) */
	uint64_t n_queued; /* items that a worker may take */
	uint64_t risk_ns;  /* how long there was any */
	uint64_t n_ready;  /* and those that are held, or on stacks */
	uint64_t n_open;   /* deferred tasks that have not ended */
	uint64_t n_done;   /* steps */
	int error;
};
