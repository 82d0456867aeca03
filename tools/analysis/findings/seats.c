/* SPDX-License-Identifier: MIT */
/* seats.c - follows the starts and ends of a sweep. */
#include "tools/analysis/findings/seats.h"

#include <stdlib.h>

#include "tools/base/bits.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/base/zeroed.h"

void seats_open(struct seats *watch, const struct sweep *sweep, const struct ahead *ahead)
{
	const struct dag *dag = sweep->dag;

	*watch = (struct seats){ .sweep = sweep, .dag = dag, .ahead = ahead };
	watch->seat = xcalloc(dag->n_slots + 1ull, sizeof(*watch->seat));
	watch->is_parked = zeroed_alloc(dag->n_strands / 8 + 1ull, 1);
	pages_open(&watch->ended, dag->n_strands, sizeof(double));
	pages_open(&watch->waited, dag->n_tasks, sizeof(struct waited));
	for (uint32_t w = 0; w < dag->n_slots; w++)
		watch->seat[w].running = watch->seat[w].last = STRAND_NONE;
}

void seats_close(struct seats *watch)
{
	for (uint32_t w = 0; watch->seat && w < watch->dag->n_slots; w++)
		free(watch->seat[w].parked);
	free(watch->seat);
	pages_close(&watch->ended);
	pages_close(&watch->waited);
	free(watch->is_parked);
	*watch = (struct seats){ 0 };
}

double seats_lost_at_end(const struct seats *watch, strand_id s)
{
	return *(const double *)pages_at(&watch->ended, s);
}

double seats_ran(const struct seats *watch, const struct seat *seat)
{
	return seat->ran + (seat->running == STRAND_NONE ? 0 : watch->lost - seat->ran_from);
}

static struct seat *seat_of(const struct seats *watch, strand_id s)
{
	return &watch->seat[watch->dag->strand[s].worker];
}

struct parked *seats_parked(const struct seats *watch, strand_id s)
{
	strand_id pred = watch->dag->strand[s].pred;
	struct seat *seat;

	if (watch->dag->how[s] & STRAND_FIRST || pred == STRAND_NONE ||
	    dag_is_node(watch->dag, pred) || !bits_has(watch->is_parked, pred))
		return NULL;
	seat = seat_of(watch, pred);
	for (uint32_t i = seat->n_parked; i-- > 0;)
		if (seat->parked[i].stopped == pred)
			return &seat->parked[i];
	return NULL;
}

enum lag seats_burial(const struct seats *watch, const struct parked *parked)
{
	const struct dag *dag = watch->dag;
	strand_id creator = dag->strand[parked->over].pred;

	if (dag->how[parked->over] & STRAND_FIRST && creator != STRAND_NONE &&
	    dag->strand[creator].task == dag->strand[parked->stopped].task &&
	    (dag->how[parked->stopped] & STRAND_ENDED_BY) == WIRE_CREATE)
		return LAG_AWAY;
	return LAG_BURIED;
}

/* ---- start ---- */

static void unpark(struct seats *watch, struct seat *seat, struct parked *parked)
{
	bits_turn(watch->is_parked, parked->stopped);
	*parked = seat->parked[--seat->n_parked];
}

/* The worker no longer waits for what it waited for, and nothing else. */
static void stop_waiting(struct seats *watch, const struct seat *seat)
{
	uint8_t flags =
		seat->last == STRAND_NONE ? 0 : ahead_flags(watch->ahead, watch->dag, seat->last);

	watch->n_blocked -= flags & AHEAD_BLOCKED ? 1 : 0;
	watch->n_idle_wait -= flags & AHEAD_IDLE_WAIT ? 1 : 0;
	watch->n_calling -= flags & AHEAD_CALLS ? 1 : 0;
}

/* Nothing runs there from now on. */
static void stand_up(struct seats *watch, struct seat *seat)
{
	watch->n_buried -= seat->n_parked;
	seat->ran += watch->lost - seat->ran_from;
	seat->running = STRAND_NONE;
}

/* A new task, which is held until it has ended and all that it creates have begun. */
static void begin_task(struct seats *watch, strand_id s)
{
	const struct dag *dag = watch->dag;
	task_id task = dag->strand[s].task;
	strand_id creator = ahead_creator(dag, s);
	uint32_t n_created = (uint32_t)few_of(&watch->ahead->created, task);
	struct waited *waited = pages_hold(&watch->waited, task, n_created + 1);

	*waited = (struct waited){ .strand = STRAND_NONE };
	if (creator != STRAND_NONE)
		pages_drop(&watch->waited, dag->strand[creator].task);
}

void seats_start(struct seats *watch, struct parked *parked)
{
	strand_id s = watch->sweep->strand;
	struct seat *seat = seat_of(watch, s);

	if (watch->sweep->releaser != STRAND_NONE)
		pages_drop(&watch->ended, watch->sweep->releaser);
	if (watch->dag->how[s] & STRAND_FIRST)
		begin_task(watch, s);
	if (seat->running == STRAND_NONE)
		stop_waiting(watch, seat);
	else
		stand_up(watch, seat);
	for (uint32_t i = seat->n_parked; i-- > 0 && seat->parked[i].over == STRAND_NONE;) {
		seat->parked[i].over = s;
		seat->parked[i].since_ns = watch->sweep->now_ns;
	}
	if (parked) /* whoever is parked last takes its place: all have an `over` */
		unpark(watch, seat, parked);
	seat->running = s;
	seat->ran_from = watch->lost;
	seat->busy_from = watch->busy;
	watch->n_buried += seat->n_parked;
}

/* ---- end ---- */

static void park(struct seats *watch, strand_id stopped)
{
	struct seat *seat = seat_of(watch, stopped);
	bool runs = seat->running != STRAND_NONE;

	if (seat->n_parked == PARKED_MOST)
		return;
	ARRAY_ADD(seat->parked, seat->n_parked, seat->room,
		  (struct parked){ .stopped = stopped,
				   .over = seat->running,
				   .ran = seats_ran(watch, seat),
				   .since_ns = watch->sweep->now_ns });
	watch->n_buried += runs;
	bits_turn(watch->is_parked, stopped);
}

static void note_wait(struct seats *watch, struct seat *seat, strand_id s)
{
	uint8_t flags = ahead_flags(watch->ahead, watch->dag, s);
	task_id task = watch->dag->strand[s].task;
	unsigned by = watch->dag->how[s] & STRAND_ENDED_BY;

	if (by == WIRE_WAIT || by == WIRE_END)
		*(struct waited *)pages_at(&watch->waited, task) =
			(struct waited){ watch->lost, s };
	watch->n_blocked += flags & AHEAD_BLOCKED ? 1 : 0;
	watch->n_idle_wait += flags & AHEAD_IDLE_WAIT ? 1 : 0;
	watch->n_calling += flags & AHEAD_CALLS ? 1 : 0;
	seat->waiting_from = flags & AHEAD_BLOCKED ? watch->locked
			     : flags & AHEAD_CALLS ? watch->called
						   : watch->barred;
}

/* For those who are ready from now on. */
static void note_lost(struct seats *watch, strand_id s)
{
	double *ended = pages_hold(&watch->ended, s, (uint32_t)watch->sweep->n_released);

	*ended = watch->lost;
}

void seats_end(struct seats *watch)
{
	strand_id s = watch->sweep->strand;
	strand_id next = ahead_lets_on(watch->ahead, watch->dag, s);
	struct seat *seat = seat_of(watch, s);

	if (watch->sweep->n_released)
		note_lost(watch, s);
	if (seat->running == s) { /* one of no length may end behind the next */
		stand_up(watch, seat);
		seat->last = s;
		seat->idle_ns = watch->sweep->now_ns;
		note_wait(watch, seat, s);
	}
	if ((watch->dag->how[s] & STRAND_ENDED_BY) == WIRE_END)
		pages_drop(&watch->waited, watch->dag->strand[s].task);
	if (!(next == STRAND_NONE))
		park(watch, next);
}
