/* SPDX-License-Identifier: MIT */
/*
 * guess.h - guesses what an event refers to, so that a right guess need not be stored.
 *
 * Encoder and decoder each keep a predictor and feed it the same events, in order; they start
 * anew with every block.  A guess is numbered from 1; 0 means "none, it is written out".
 *
 *	RESUME	1 the task below on the stack of those that began here
 *	BEGIN	1 the youngest task made here that has not begun (depth first)
 *		2 the one made next after the one begun last (breadth first, stolen runs)
 *	MEMBER	1 the group of the last member
 *	START	1 the name given last here to a task that has not begun
 *	CREATE, FORK, WAIT, YIELD	1 what followed the same predecessor last time
 *	NAME	1 of those that were given back, the last one
 *		2 as far from the last one as it was last time, by site
 *	BAG	1 the last one at this depth
 *	OBJECT	1 the last bag at this depth
 *		2 of those that the task named and did not wait for, the first one
 *	COLLAPSED	1 its field is what followed the last field last time; its value is stored
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "collector/trace/guess_name.h"
#include "collector/trace/wire.h"

#define PREDICT_TASKS 256u /* powers of two: the stacks are circular */
#define PREDICT_FRESH 1024u
#define PREDICT_NEXT 64u
#define PREDICT_FIELDS 64u

_Static_assert(PREDICT_TASKS == PREDICT_LEVELS && PREDICT_NEXT == PREDICT_STEPS,
	       "by depth, by site");

struct predictor {
	uint64_t made_base;	       /* id_make(worker, 0) */
	uint64_t n_ids;		       /* ids given out by this worker */
	uint64_t task[PREDICT_TASKS];  /* begun and not ended */
	uint64_t fresh[PREDICT_FRESH]; /* made and not begun */
	uint64_t name[PREDICT_FRESH];  /* named and not begun */
	uint64_t next[PREDICT_NEXT];   /* by the site before */
	uint64_t last_begun, last_group, last_site;
	uint32_t n_task, n_fresh, n_name;
	uint8_t next_field[PREDICT_FIELDS], last_field; /* of collapsed tasks */
	struct predict_names names;
};

static inline void predict_reset(struct predictor *p, uint32_t worker, uint64_t n_ids)
{
	memset(p, 0, sizeof(*p));
	p->made_base = id_make(worker, 0);
	p->n_ids = n_ids;
}

static inline uint32_t predict_site_slot(const struct predictor *p)
{
	return predict_slot(p->last_site, 6);
}

/* Where the task that runs is on the stack of tasks. */
static inline uint32_t predict_level(const struct predictor *p)
{
	return (p->n_task - 1) % PREDICT_TASKS;
}

static inline uint64_t predict_task(const struct predictor *p)
{
	return p->task[predict_level(p)];
}

/* The guess of that number for an event of that kind. */
static inline __attribute__((always_inline)) uint64_t
predict_guess(struct predictor *p, enum wire_kind kind, unsigned number)
{
	switch (kind) {
	case WIRE_RESUME:
		return predict_task(p);
	case WIRE_BEGIN:
		return number == 1 ? p->fresh[(p->n_fresh - 1) % PREDICT_FRESH] : p->last_begun + 1;
	case WIRE_MEMBER:
		return p->last_group;
	case WIRE_START:
		return p->name[(p->n_name - 1) % PREDICT_FRESH];
	case WIRE_NAME:
		return number == 1 ? p->names.level[predict_level(p)].expected
				   : p->names.last + p->names.step[predict_site_slot(p)];
	case WIRE_BAG:
		return p->names.level[predict_level(p)].bag;
	case WIRE_OBJECT:
		return number == 1 ? p->names.level[predict_level(p)].bag
				   : predict_awaited(&p->names, predict_task(p));
	case WIRE_COLLAPSED:
		return collapsed_make(p->next_field[p->last_field], 0);
	default:
		return p->next[predict_site_slot(p)];
	}
}
