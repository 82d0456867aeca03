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
 * neither p(t) nor r(t) (tools/analysis/mixture.h).  TALLY events behind the slice say exactly what
 * there was of each kind.
 *
 * One linear pass with a stack of the tasks that are open; it stops to try wherever it sees what
 * it does not understand, and copies that.  A slice that ends amid tasks that their creator runs at
 * once, while others wait, is looked at twice (open_task.stuck).  Collapsing what was collapsed
 * before is the same as collapsing all at once, so a stream may be collapsed slice by slice, and
 * the result again.
 *
 * Times are ticks.  Not thread-safe; a struct collapse serves any number of streams, and keeps
 * nothing from one slice to the next.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/session/chunk.h"
#include "collector/trace/wire.h"

#define COLLAPSE_SLICE 32768u /* events of a struct slice (session/chunk.h), at most */

struct collapse_limits {
	uint64_t strand;  /* longer strands are kept, and what was idle for longer, */
	uint64_t task;	  /* and tasks that take longer, all in all; */
	bool final_tasks; /* there are such: a task whose parent is not known may be below one */
	uint32_t least;	  /* or are of no more events: WIRE_COLLAPSED_FIELDS, or what it is would be
			   * less
			   */
	bool closely;	  /* for tests: no short cuts, which change nothing (collapse_plain.h); */
	bool grows;	  /* and a slice may become longer, for which `out` has room */
};

struct collapse;

struct collapse *collapse_new(void); /* NULL if out of memory; yours to collapse_free() */
void collapse_free(struct collapse *collapse);

/*
 * The same in memory of the caller's: zeroed, collapse_bytes(), aligned to 64.  Of n_children (a
 * power of two) created tasks at most it knows at a time, and tasks of further sites than n_sites
 * stay, in one slice.
 */
struct collapse_size {
	uint32_t n_children, n_sites;
};
size_t collapse_bytes(struct collapse_size size);
struct collapse *collapse_make(void *memory, struct collapse_size size);

/*
 * Writes the slice, collapsed, to `out`, which must not overlap it: how many events, at most
 * source->n.  Behind it stand its tallies: what the TALLY events in it said, and what was collapsed
 * now.  If that would not make it shorter, the slice is copied as it is.
 */
uint32_t collapse_run(struct collapse *collapse, struct slice *source,
		      const struct collapse_limits *limits, struct wire_event *out);
