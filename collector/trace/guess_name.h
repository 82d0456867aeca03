/* SPDX-License-Identifier: MIT */
/*
 * guess_name.h - guesses names: those of tasks, of the bags that they are in, and of what is
 * waited for.
 *
 * A name is mostly an address.  A task's comes from an allocator, which gives out first what it got
 * back last, or else what lies next to what it gave out before.  A bag lies on the stack of the
 * task that waits for it, and so where the last one at that depth did.  Tasks that are waited for
 * one by one are so in the order in which they were named.
 *
 * Part of struct predictor, which says by what tasks lie on top of one another.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PREDICT_LEVELS 256u /* powers of two: all of these go round */
#define PREDICT_FREED 256u
#define PREDICT_GIVEN 512u
#define PREDICT_NAMERS 256u
#define PREDICT_STEPS 64u

struct predict_names {
	struct {
		uint64_t own;	   /* the name that the task was started by; 0: none */
		uint64_t expected; /* of the task that it created last */
		uint64_t bag;	   /* named last at this depth */
	} level[PREDICT_LEVELS];
	uint64_t freed[PREDICT_FREED]; /* names of tasks that are over */
	uint64_t last;		       /* name given */
	uint64_t step[PREDICT_STEPS];  /* from a name to the next, by site */
	struct {
		uint64_t name;
		uint32_t next; /* of the same task's: given[] */
	} given[PREDICT_GIVEN];
	struct {
		uint64_t task;	      /* that named others; 0: all have been waited for */
		uint32_t first, last; /* of its names, of those that have not: given[] */
	} namer[PREDICT_NAMERS];
	uint32_t n_freed, n_given;
	bool any; /* name so far; else all of this is 0, and stays so */
};

/* The slot of an id or site in a table of 1 << bits. */
static inline uint32_t predict_slot(uint64_t of, unsigned bits)
{
	return (uint32_t)((of * 0x9e3779b97f4a7c15u) >> (64 - bits));
}

/* A task begins that has no name. */
static inline void predict_begun(struct predict_names *names, uint32_t level)
{
	if (names->any)
		names->level[level].own = 0;
}

static inline void predict_started(struct predict_names *names, uint32_t level, uint64_t name)
{
	names->level[level].own = name;
	names->any = true;
}

static inline void predict_freed(struct predict_names *names, uint64_t name)
{
	names->freed[names->n_freed++ % PREDICT_FREED] = name;
}

static inline void predict_ended(struct predict_names *names, uint32_t level)
{
	if (names->any && names->level[level].own)
		predict_freed(names, names->level[level].own);
}

static inline void predict_created(struct predict_names *names, uint32_t level)
{
	uint64_t name;

	if (!names->any)
		return;
	name = names->freed[(names->n_freed - 1) % PREDICT_FREED];
	names->level[level].expected = name;
	names->n_freed -= name != 0;
}

/* The task names the one that it created last. */
static inline void predict_named(struct predict_names *names, uint64_t task, uint32_t site,
				 uint64_t name)
{
	uint32_t at = names->n_given++ % PREDICT_GIVEN, of = predict_slot(task, 8);

	names->step[site] = name - names->last;
	names->last = name;
	names->given[at].name = name;
	if (names->namer[of].task == task)
		names->given[names->namer[of].last].next = at;
	else
		names->namer[of].first = at;
	names->namer[of].task = task;
	names->namer[of].last = at;
	names->any = true;
}

/* What the task waits for next, if it waits for those that it named. */
static inline uint64_t predict_awaited(const struct predict_names *names, uint64_t task)
{
	uint32_t of = predict_slot(task, 8);

	return names->namer[of].task == task ? names->given[names->namer[of].first].name : 0;
}

static inline void predict_waited(struct predict_names *names, uint64_t task, uint64_t name)
{
	uint32_t of = predict_slot(task, 8);

	if (names->namer[of].task != task || names->given[names->namer[of].first].name != name)
		return;
	predict_freed(names, name);
	if (names->namer[of].first == names->namer[of].last)
		names->namer[of].task = 0;
	else
		names->namer[of].first = names->given[names->namer[of].first].next;
}
