/* SPDX-License-Identifier: MIT */
/* pauses.c - one loop over the strands, which knows each worker's last one. */
#include "tools/analysis/pauses.h"

#include <stdlib.h>

#include "tools/analysis/ready_path.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/dag/wait_rules.h"

struct search {
	const struct dag *dag;
	struct pauses *pauses;
	uint64_t room;
	strand_id *on_worker; /* n_slots: its last strand so far; STRAND_NONE */
	bool *gone;	      /* n_slots: the task of that strand has gone on elsewhere since */
	uint32_t hint;
};

/* A strand, and what is known of its worker's pause before it. */
struct next {
	strand_id s;
	strand_id before; /* the worker's strand before */
	strand_id by;	  /* who released it; STRAND_NONE */
	uint64_t ready_ns;
	bool own; /* the worker's */
};

static uint8_t pause_of(enum state state, enum runtime_call call, unsigned flags)
{
	return (uint8_t)((unsigned)state | (unsigned)call << 3 | flags);
}

static enum wire_kind ended_by(const struct dag *dag, strand_id s)
{
	return (enum wire_kind)(dag->how[s] & STRAND_ENDED_BY);
}

/* The wait for a lock, or the like, that the strand ended by; NULL. */
static const struct dag_wait *lock_wait(const struct dag *dag, strand_id s)
{
	const struct dag_wait *wait = ended_by(dag, s) == WIRE_WAIT ? dag_wait_of(dag, s) : NULL;

	return wait && wait_blocks(wait->what) ? wait : NULL;
}

static enum state state_of(const struct dag_wait *lock)
{
	return lock->what == WIRE_WAIT_MESSAGE	? STATE_MESSAGE
	       : lock->what == WIRE_WAIT_DEVICE ? STATE_DEVICE
						: STATE_BLOCKED;
}

/* What its task called when the strand ended. */
static enum runtime_call call_at(const struct dag *dag, strand_id s)
{
	switch (ended_by(dag, s)) {
	case WIRE_CREATE:
		return CALL_CREATE;
	case WIRE_FORK:
		return CALL_FORK;
	case WIRE_WAIT:
		return lock_wait(dag, s) ? CALL_LOCK : CALL_WAIT;
	case WIRE_YIELD:
		return CALL_YIELD;
	case WIRE_SIGNAL:
		return CALL_SIGNAL;
	default:
		return CALL_BEGIN;
	}
}

/* Whether its task goes on at once, as far as it goes. */
static bool goes_on(const struct dag *dag, strand_id s)
{
	enum wire_kind kind = ended_by(dag, s);

	return kind == WIRE_CREATE || kind == WIRE_YIELD || kind == WIRE_SIGNAL;
}

/* Of a task that stopped here, or released by what ran here. */
static bool is_own(const struct search *search, const struct next *next)
{
	const struct dag *dag = search->dag;
	const struct strand *strand = &dag->strand[next->s];
	bool first = dag->how[next->s] & STRAND_FIRST;

	return dag->strand[next->by].worker == strand->worker ||
	       (!first && strand->pred != STRAND_NONE &&
		dag->strand[strand->pred].worker == strand->worker);
}

/* The worker is idle until the next strand is ready; then, if that is its own, in a call. */
static void wait_for_next(struct search *search, const struct next *next, bool gone)
{
	const struct dag *dag = search->dag;
	const struct strand *strand = &dag->strand[next->s];
	strand_id from = dag->how[next->s] & STRAND_FIRST ? next->before : strand->pred;
	bool of_next = from != next->before || gone || call_at(dag, from) == CALL_BEGIN;
	enum runtime_call call = from == next->before && gone ? CALL_BEGIN : call_at(dag, from);
	bool at_once = next->ready_ns <= dag_end(dag, next->before);
	struct pauses *pauses = search->pauses;

	if (!is_own(search, next))
		return;
	pauses->after[next->before] =
		pause_of(at_once ? STATE_RUNTIME : STATE_IDLE, call,
			 (of_next ? PAUSE_OF_NEXT : 0) | (at_once ? 0 : PAUSE_TURNS));
	if (at_once)
		return;
	ARRAY_ADD(pauses->turn, pauses->n_turns, search->room,
		  (struct turn){ next->ready_ns, strand->worker });
}

/* The pause before a strand, of which after[before] says that it is idle. */
static void end_pause(struct search *search, const struct next *next)
{
	const struct dag *dag = search->dag;
	strand_id before = next->before;
	const struct strand *strand = &dag->strand[next->s];
	bool returns = strand->task == dag->strand[before].task;
	bool gone = search->gone[strand->worker], waited = next->by != before;
	const struct dag_wait *lock = lock_wait(dag, before);
	uint8_t *after = &search->pauses->after[before];

	if (next->by == STRAND_NONE)
		return;
	if (!gone && lock && returns) {
		bool was_free = !waited && !wait_had_to(lock->what);

		*after = pause_of(was_free ? STATE_RUNTIME : state_of(lock), CALL_LOCK, 0);
		return;
	}
	if (!gone && goes_on(dag, before) && (!returns || next->ready_ns <= dag_end(dag, before))) {
		*after = pause_of(STATE_RUNTIME, call_at(dag, before), 0);
		return;
	}
	wait_for_next(search, next, gone);
}

/* The worker's last strand is that one from now on, and no longer its task's strand before. */
static void note_last(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	const struct strand *strand = &dag->strand[s];
	strand_id pred = strand->pred;

	if (!(dag->how[s] & STRAND_FIRST) && pred != STRAND_NONE) {
		uint16_t worker = dag->strand[pred].worker;

		search->gone[worker] |= search->on_worker[worker] == pred;
	} else if (!(dag->how[s] & STRAND_FIRST)) { /* nobody saw how it came to run */
		for (uint32_t w = 0; w < dag->n_slots; w++)
			search->gone[w] |= search->on_worker[w] != STRAND_NONE &&
					   dag->strand[search->on_worker[w]].task == strand->task;
	}
	search->on_worker[strand->worker] = s;
	search->gone[strand->worker] = false;
}

static void pass(struct search *search, strand_id s)
{
	const struct dag *dag = search->dag;
	const struct strand *strand = &dag->strand[s];
	strand_id direct = dag_releaser(dag, s, &search->hint);
	struct next next = { .s = s,
			     .before = search->on_worker[strand->worker],
			     .by = ready_path_through(dag, direct) };

	released_add(&search->pauses->released, released_outside(dag, s) ? STRAND_NONE : next.by);

	if (next.before != STRAND_NONE && dag_end(dag, next.before) < dag_start(dag, s)) {
		next.ready_ns = direct == STRAND_NONE ? 0 : released_ready_ns(dag, s, direct);
		end_pause(search, &next);
	}
	note_last(search, s);
}

/* What the worker is in after its last strand. */
static void end_last(struct search *search, uint32_t worker)
{
	const struct dag *dag = search->dag;
	strand_id s = search->on_worker[worker];

	if (s == STRAND_NONE || search->gone[worker])
		return;
	if (lock_wait(dag, s))
		search->pauses->after[s] = pause_of(state_of(lock_wait(dag, s)), CALL_LOCK, 0);
	else if (goes_on(dag, s))
		search->pauses->after[s] = pause_of(STATE_RUNTIME, call_at(dag, s), 0);
}

static strand_id *none_of(uint32_t n)
{
	strand_id *none = xmalloc((n + 1ull) * sizeof(*none));

	for (uint32_t i = 0; i < n; i++)
		none[i] = STRAND_NONE;
	return none;
}

void pauses_find(struct pauses *pauses, const struct dag *dag)
{
	struct search search = { .dag = dag,
				 .pauses = pauses,
				 .on_worker = none_of(dag->n_slots),
				 .gone = xcalloc(dag->n_slots + 1ull, sizeof(*search.gone)) };

	*pauses = (struct pauses){ .after = xmalloc(dag->n_strands + 1ull) };
	tracer_find(&pauses->tracer, dag);
	released_open(&pauses->released, dag);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		pauses->after[s] = STATE_IDLE;
		if (!dag_is_node(dag, s))
			pass(&search, s);
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		end_last(&search, w);
	free(search.on_worker);
	free(search.gone);
}

void pauses_free(struct pauses *pauses)
{
	free(pauses->after);
	free(pauses->turn);
	tracer_free(&pauses->tracer);
	released_free(&pauses->released);
	*pauses = (struct pauses){ 0 };
}
