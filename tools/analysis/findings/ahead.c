/* SPDX-License-Identifier: MIT */
/* ahead.c - one loop over the strands, in the order in which they start. */
#include "tools/analysis/findings/ahead.h"

#include <stdlib.h>

#include "tools/analysis/ready_path.h"
#include "tools/base/xalloc.h"
#include "tools/base/zeroed.h"
#include "tools/dag/wait_rules.h"

static void set_then(struct ahead *ahead, strand_id s, uint16_t then)
{
	if (ahead->then)
		ahead->then[s] = (uint8_t)then;
	else
		ahead->wide[s] = then;
}

static void note_first(struct ahead *ahead, const struct dag *dag, strand_id s)
{
	strand_id creator = ahead_creator(dag, s);

	if (creator == STRAND_NONE)
		return;
	if (dag_kind(dag, s) <= UINT16_MAX)
		set_then(ahead, creator, (uint16_t)dag_kind(dag, s));
	few_add(&ahead->created, dag->strand[creator].task);
}

/* Whether a worker can do nothing else while its task waits there. */
static uint8_t idle_flag(const struct dag *dag, strand_id waits)
{
	const struct dag_wait *wait = dag_wait_of(dag, waits);

	if (!wait)
		return 0;
	if (wait_blocks(wait->what))
		return AHEAD_BLOCKED;
	switch (wait->what) {
	case WIRE_WAIT_CHILDREN:
	case WIRE_WAIT_GROUP:
	case WIRE_WAIT_DEPEND:
	case WIRE_WAIT_BAG:
		return AHEAD_IDLE_WAIT;
	default:
		return 0;
	}
}

/* Whether that strand ended to take a lock, or to release one that its task took before. */
static bool calls_lock(const struct dag *dag, strand_id s, uint16_t *entered)
{
	const struct dag_wait *wait = dag_wait_of(dag, s);

	if (!entered || !dag_object_of(dag, s))
		return false;
	if ((dag->how[s] & STRAND_ENDED_BY) == WIRE_SIGNAL)
		return entered[dag->strand[s].task];
	if (!wait || !wait_blocks(wait->what))
		return false;
	entered[dag->strand[s].task] = dag_wait_number(dag, s);
	return !wait_had_to(wait->what);
}

/* Whether the task that stopped with `pred` waited for somebody who is no worker, as a thread of
 * its own: there is an event only if it had to, and nothing that tptrace knows let it go on.  A
 * root keeps no worker from tasks so: it waits for the program's other threads. */
static bool waits_unseen(const struct dag *dag, strand_id pred, strand_id from)
{
	const struct dag_wait *wait = dag_wait_of(dag, pred);

	return from == pred && wait && wait_blocks(wait->what) && wait_had_to(wait->what) &&
	       dag->kind_what[dag_kind(dag, pred)] != KIND_ROOT;
}

/* The end of `from` lets the task go on that stopped with `pred`. */
static void note_lets_on(struct ahead *ahead, const struct dag *dag, strand_id from, strand_id pred)
{
	bool own = from == pred;
	uint64_t *other;

	bits_set(ahead->goes_on, from, own);
	if ((dag->how[from] & STRAND_ENDED_BY) == WIRE_END) {
		ahead->lets_on[dag->strand[from].task] = pred;
		return;
	}
	if (own) /* what was noted before is not asked for */
		return;
	other = map_put(&ahead->others, from);
	*other = pred;
}

/* The task goes on; `before` ran last on the worker. */
static void note_next(struct ahead *ahead, const struct dag *dag, strand_id s, strand_id before,
		      uint32_t *hint, uint16_t *entered)
{
	strand_id pred = dag->strand[s].pred;
	strand_id from = ready_path_released_by(dag, s, hint);
	uint16_t worker = dag->strand[s].worker;
	bool calls = pred != STRAND_NONE && calls_lock(dag, pred, entered);
	bool ran = before != pred && before != STRAND_NONE &&
		   (dag->how[before] & STRAND_ENDED_BY) == WIRE_END;

	if (pred == STRAND_NONE || from == STRAND_NONE || dag->strand[pred].worker != worker)
		return;
	if (dag->beside[worker]) { /* no worker's time: none is kept from anything */
		note_lets_on(ahead, dag, from, pred);
		return;
	}
	if (before == pred && (dag->strand[from].worker != worker || waits_unseen(dag, pred, from)))
		set_then(ahead, pred, ahead_then(ahead, pred) | idle_flag(dag, pred));
	else if (ran && dag->strand[from].worker != worker &&
		 idle_flag(dag, pred) == AHEAD_IDLE_WAIT)
		set_then(ahead, before, AHEAD_IDLE_WAIT); /* the rest of that wait */
	else if (before == pred && calls)
		set_then(ahead, pred, ahead_then(ahead, pred) | AHEAD_CALLS);
	note_lets_on(ahead, dag, from, pred);
}

/* entered: by task, the wait for the lock that it took last; NULL if there are no locks */
static void look(struct ahead *ahead, struct rounds *rounds, const struct dag *dag, strand_id *last,
		 uint16_t *entered)
{
	uint32_t hint = 0;

	for (task_id t = 0; t < dag->n_tasks; t++)
		ahead->lets_on[t] = STRAND_NONE;
	for (uint32_t w = 0; w < dag->n_slots; w++)
		last[w] = STRAND_NONE;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		if (dag->how[s] & STRAND_FIRST)
			note_first(ahead, dag, s);
		else
			note_next(ahead, dag, s, last[dag->strand[s].worker], &hint, entered);
		rounds_note(rounds, dag, s);
		last[dag->strand[s].worker] = s;
	}
}

void ahead_build(struct ahead *ahead, struct rounds *rounds, const struct dag *dag)
{
	strand_id *last = xmalloc((dag->n_slots + 1ull) * sizeof(*last));
	uint16_t *entered = dag->n_objects ? xcalloc(dag->n_tasks + 1ull, sizeof(*entered)) : NULL;

	*rounds = (struct rounds){ 0 };
	*ahead = (struct ahead){
		.goes_on = zeroed_alloc(dag->n_strands / 8 + 1ull, 1),
		.lets_on = xmalloc((dag->n_tasks + 1ull) * sizeof(*ahead->lets_on)),
	};
	if (dag->n_kinds <= UINT8_MAX + 1u)
		ahead->then = zeroed_alloc(dag->n_strands + 1ull, sizeof(*ahead->then));
	else
		ahead->wide = zeroed_alloc(dag->n_strands + 1ull, sizeof(*ahead->wide));
	few_open(&ahead->created, dag->n_tasks);
	rounds_open(rounds, dag);
	look(ahead, rounds, dag, last, entered);
	rounds_finish(rounds, dag);
	free(last);
	free(entered);
}

void ahead_free(struct ahead *ahead)
{
	free(ahead->goes_on);
	free(ahead->lets_on);
	map_free(&ahead->others);
	free(ahead->then);
	free(ahead->wide);
	few_free(&ahead->created);
	*ahead = (struct ahead){ 0 };
}
