/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - what the trace says only later: for each strand, what follows from its end.
 *
 * Built in one pass over the strands, before the sweep that asks; read-only from then on.
 */
#pragma once

#include "tools/analysis/findings/rounds.h"
#include "tools/base/bits.h"
#include "tools/base/few.h"
#include "tools/dag/dag.h"

#define AHEAD_IDLE_WAIT                                                                            \
	1u /* its worker takes nothing until what it waits for is over, elsewhere; of a task's     \
	    * end, what the task waits for that the worker ran it beneath                          \
	    */
#define AHEAD_BLOCKED 2u /* its worker takes nothing until the lock that it waits for is free */
#define AHEAD_CALLS 4u	 /* it takes a lock that is free, or releases one, and goes on */

struct ahead {
	/* ahead_lets_on(), of those that let their own task go on, one bit by strand; by task, of
	 * its end; and of all others */
	uint8_t *goes_on;
	strand_id *lets_on;
	struct map others; /* strand -> the other, or STRAND_NONE */
	/* of who ended to create: the task's kind; else AHEAD_IDLE_WAIT | ..  One of the two;
	 * `wide` where there are many kinds */
	uint8_t *then;
	uint16_t *wide;
	struct few created; /* by task: tasks that it creates and that begin */
};
#define AHEAD_NO_KIND KIND_OF_ROOTS /* which nobody creates */

/* Also counts the rounds, which are the caller's to free. */
void ahead_build(struct ahead *ahead, struct rounds *rounds, const struct dag *dag);
void ahead_free(struct ahead *ahead); /* a zeroed one is fine */

static inline bool ahead_ends_to_create(const struct dag *dag, strand_id s)
{
	return (dag->how[s] & STRAND_ENDED_BY) == WIRE_CREATE;
}

/* The strand that ended to create the task whose first strand this is; STRAND_NONE. */
static inline strand_id ahead_creator(const struct dag *dag, strand_id first)
{
	strand_id pred = dag->strand[first].pred;

	return pred == STRAND_NONE || dag_is_node(dag, pred) || !ahead_ends_to_create(dag, pred)
		       ? STRAND_NONE
		       : pred;
}

static inline uint16_t ahead_then(const struct ahead *ahead, strand_id s)
{
	return ahead->then ? ahead->then[s] : ahead->wide[s];
}

/* The kind of the task that it ended to create; AHEAD_NO_KIND, also for one past 16 bits. */
static inline kind_id ahead_creates(const struct ahead *ahead, const struct dag *dag, strand_id s)
{
	return ahead_ends_to_create(dag, s) ? ahead_then(ahead, s) : AHEAD_NO_KIND;
}

static inline bool ahead_goes_on(const struct ahead *ahead, strand_id s)
{
	return bits_has(ahead->goes_on, s);
}

/*
 * Whose task may go on once this strand has ended, and does so on the worker that it ran on before:
 * the strand that it stopped with, maybe this one; STRAND_NONE, or one of several.
 */
static inline strand_id ahead_lets_on(const struct ahead *ahead, const struct dag *dag, strand_id s)
{
	const uint64_t *other;

	if (ahead_goes_on(ahead, s))
		return s;
	if ((dag->how[s] & STRAND_ENDED_BY) == WIRE_END)
		return ahead->lets_on[dag->strand[s].task];
	other = map_find(&ahead->others, s);
	return other ? (strand_id)*other : STRAND_NONE;
}

/* AHEAD_IDLE_WAIT | .. */
static inline uint8_t ahead_flags(const struct ahead *ahead, const struct dag *dag, strand_id s)
{
	return ahead_ends_to_create(dag, s) ? 0 : (uint8_t)ahead_then(ahead, s);
}
