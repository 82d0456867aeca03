/* SPDX-License-Identifier: MIT */
/*
 * collapse.h - takes the events of a task and of all below it out of a worker's stream, and puts
 * what they come to in their place.
 *
 * A task can be collapsed if it began and ended in the slice of events at hand, and so did all
 * tasks that it created; if they were joined before it ended, and nothing else ran on the worker
 * meanwhile (so none of them was stolen); and if no strand in it is longer than a limit, nor all
 * of it longer than another.  Then one way leads into the subtree and one out of it, and its work,
 * its span and the ready path through it follow from the order of events alone.
 *
 * Of a task that cannot be collapsed, a part can be that has these properties, from one of its
 * strands to another (collapse_part.h).
 *
 * There remain the task's BEGIN (or START), some WIRE_COLLAPSED events and its END.  Those say
 * how long the worker was busy and idle with how many strands ready, so that an analysis loses
 * neither p(t) nor r(t) (tools/analysis/mixture.h).  What there was of each kind is tallied
 * exactly.
 *
 * One linear pass with a stack of the tasks that are open; it stops to try wherever it sees what
 * it does not understand, and copies that.  A slice that ends amid tasks that their creator runs at
 * once, while others wait, is looked at twice (frame.stuck).  Collapsing what was collapsed before
 * is the same as collapsing all at once, so a stream may be collapsed slice by slice, and the
 * result again.
 *
 * Times are ticks.  Not thread-safe; a struct collapse serves any number of streams.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/trace/wire.h"

#define COLLAPSE_SLICE 32768u /* events in one go, at most */
#define COLLAPSE_TALLIES 1024u

/* The collapsed tasks of one site, since the beginning. */
struct collapse_tally {
	uint32_t site;
	uint64_t n_tasks;
	uint64_t work;			  /* of their own strands */
	uint64_t ready;			  /* from creation to begin */
	uint64_t least, most;		  /* work of one */
	uint64_t n_by_work[WIRE_BUCKETS]; /* tasks, by wire_bucket(work of one) */
};

struct collapse_limits {
	uint64_t strand;  /* longer strands are kept, and what was idle for longer, */
	uint64_t task;	  /* and tasks that take longer, all in all; */
	bool final_tasks; /* there are such: a task whose parent is not known may be below one */
	uint32_t least;	  /* or are of no more events: WIRE_COLLAPSED_FIELDS, or what it is would be
			   * less
			   */
	bool closely;	  /* for tests: no short cuts, which change nothing (collapse_plain.h) */
};

/* Where events lie, as in encode.h: event i is slot[(first + i) & mask]. */
struct collapse_source {
	const struct wire_event *slot;
	uint64_t first, mask;
	uint32_t n; /* at most COLLAPSE_SLICE */
	uint64_t worker;
	uint64_t n_ids; /* given out before the slice; brought up to date */
};

struct collapse;

struct collapse *collapse_new(void); /* NULL if out of memory; yours to collapse_free() */
void collapse_free(struct collapse *collapse);

/*
 * The same in memory of the caller's: zeroed, collapse_bytes(), aligned to 64.  Of n_children (a
 * power of two) created tasks at most it knows at a time, and tasks of further sites than n_sites
 * (COLLAPSE_TALLIES at most) stay.
 */
struct collapse_size {
	uint32_t n_children, n_sites;
};
size_t collapse_bytes(struct collapse_size size);
struct collapse *collapse_make(void *memory, struct collapse_size size);

/* Writes the slice, collapsed, to `out`, which must not overlap it: how many, at most source->n. */
uint32_t collapse_run(struct collapse *collapse, struct collapse_source *source,
		      const struct collapse_limits *limits, struct wire_event *out);

/* Collapsed tasks so far, by site, and waits and yields of collapsed tasks and of the tasks
 * that stand for them. */
const struct collapse_tally *collapse_tallies(const struct collapse *collapse, uint32_t *n);
uint64_t collapse_waits(const struct collapse *collapse);

/*
 * For several that work beside each other, after which their tallies are poured into one: so many
 * share the sites that are left in its table, so that there is room for all.
 */
void collapse_share_sites(struct collapse *collapse, const struct collapse *into, uint32_t n);
void collapse_pour(struct collapse *into, struct collapse *from); /* `from` has none then */

/*
 * What workers collapse themselves is tallied in events of the ring alone (kind RING_TALLY), behind
 * the slice that it is of; no file has them.  collapse_run() takes them out.  The slice begins with
 * one that says how many are of it, and how many events were taken out.
 */
#define RING_TALLY 47u /* untimed, and none of events.h */

static inline struct wire_event ring_slice(uint32_t n, uint32_t n_out)
{
	return (struct wire_event){ RING_TALLY, (uint64_t)n_out << 32 | n };
}

/* How many events follow that are of the same slice. */
static inline uint32_t ring_slice_more(const struct wire_event *event)
{
	return event->a == RING_TALLY ? (uint32_t)event->b : 0;
}

/* How many events the worker made that this one of a ring stands for; a slice's add up. */
static inline uint64_t ring_made(const struct wire_event *event)
{
	if (event_kind(event) != RING_TALLY)
		return 1;
	return event->a == RING_TALLY ? event->b >> 32 : 0;
}

/* .. and how many tasks; of collapsed ones their event says it. */
static inline uint64_t ring_made_tasks(const struct wire_event *event)
{
	if (event_kind(event) == WIRE_COLLAPSED &&
	    collapsed_field(event->b) == WIRE_COLLAPSED_TASKS)
		return collapsed_value(event->b);
	return kind_makes_task(event_kind(event));
}

/* Writes the tallies to `out` and begins them afresh: how many events they are; if that is more
 * than n_most, the others are missing. */
uint32_t collapse_tell(struct collapse *collapse, struct wire_event *out, uint32_t n_most);

/* Whether the event is one of these; then it is added up. */
bool collapse_hears(struct collapse *collapse, const struct wire_event *event);
