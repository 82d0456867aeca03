/* SPDX-License-Identifier: MIT */
/*
 * crowd.h - who ran nearly all tasks of a kind: one worker, or of each creator's tasks one.
 *
 * Tasks come in the order in which they begin.  A creator's tasks are a crowd while no other
 * creator's begin between them.  Small crowds say nothing: a task's children run where it does.
 */
#pragma once

#include "tools/dag/dag.h"

/* Who ran nearly all: the votes for `worker` are at least those for others, less `net`. */
struct majority {
	uint32_t worker;
	uint64_t net, n;
};

static inline void majority_add(struct majority *majority, uint32_t worker, uint64_t n)
{
	majority->n += n;
	if (majority->net && majority->worker != worker && majority->net >= n) {
		majority->net -= n;
	} else if (majority->net && majority->worker != worker) {
		majority->worker = worker;
		majority->net = n - majority->net;
	} else {
		majority->worker = worker;
		majority->net += n;
	}
}
/* How many of all it ran, at least. */
static inline uint64_t majority_least(const struct majority *majority)
{
	return (majority->n + majority->net) / 2;
}

#define CROWD_TASKS 32u

struct crowd {
	task_id creator;
	struct majority now; /* of that creator's */
	uint64_t n_ran;	     /* of earlier ones, what one worker ran of each */
	uint64_t n_crowds;   /* of them */
	uint64_t span_ns;    /* of them, from the first begin to the last */
	uint64_t from_ns, to_ns;
};

/* Takes the creator's tasks as complete. */
static inline void crowd_close(struct crowd *crowd)
{
	if (crowd->now.n >= CROWD_TASKS) {
		crowd->n_ran += majority_least(&crowd->now);
		crowd->n_crowds++;
		crowd->span_ns += crowd->to_ns - crowd->from_ns;
	}
	crowd->now = (struct majority){ 0 };
}

static inline void crowd_add(struct crowd *crowd, task_id creator, uint32_t worker, uint64_t now_ns)
{
	if (crowd->now.n && crowd->creator != creator)
		crowd_close(crowd);
	if (!crowd->now.n)
		crowd->from_ns = now_ns;
	crowd->to_ns = now_ns;
	crowd->creator = creator;
	majority_add(&crowd->now, worker, 1);
}
