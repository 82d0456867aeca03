/* SPDX-License-Identifier: MIT */
/*
 * graph.h - a recorded run as a simulation needs it: how long each strand takes, and what its end
 * lets go on.
 *
 *	step	a strand, by its number in the dag; or a barrier's node, which takes no time
 *	lead	what passes before a step although it could begin and its worker was free: leads.h
 *	parts	a collapsed task runs as so many equal parts that may run beside each other, so that
 *		its work and its span are those of the tasks that it stands for; so does a task that
 *		a change splits
 *	lock	an object that only whoever entered it signals: who enters it is left to the
 *		simulation.  Other objects keep the order in which the trace has them
 *
 * Built once, read-only from then on: several simulations run on it at the same time.  A step takes
 * 36 bytes, and 5 more where the trace has locks.  Two steps share a cache line, and a simulation
 * reads them in any order: what it needs of a step stands in the step itself.  Times are ns.
 */
#pragma once

#include "tools/base/at_most.h"
#include "tools/dag/dag.h"
#include "tools/model/change.h"

enum step_end {
	STEP_ENDS,
	STEP_CREATES,
	STEP_FORKS,
	STEP_WAITS,
	STEP_LOCKS,
	STEP_UNLOCKS,
	STEP_GOES_ON
};

#define STEP_FIRST 1u	    /* of its task */
#define STEP_MEMBER 2u	    /* first of an implicit task */
#define STEP_NODE 4u	    /* of a barrier: no task */
#define STEP_UNDEFERRED 8u  /* creates a task that runs at once */
#define STEP_PARTS 16u	    /* graph_parts() has how many */
#define STEP_JOINS 32u	    /* after a wait; not after a creation or the like */
#define STEP_FIXED 64u	    /* its lead is what it says, however it begins */
#define STEP_CONTINUES 128u /* after a creation */
#define STEP_ALONE 256u	    /* waits for one other step: whoever releases it makes it ready */
#define STEP_OUT_ONE 512u   /* `out` is the step that waits for it besides its task */
#define STEP_OUT_MANY 1024u /* `out` is where graph->out[] has how many do, and which */
#define STEP_OF_ROOT 2048u  /* of a task that no task created */
#define STEP_OUTSIDE 4096u  /* what lets it go on is outside: it is not ready in its lead */

struct step {
	uint64_t length; /* ns of work */
	strand_id next;	 /* of the same task; STRAND_NONE */
	strand_id child; /* STEP_CREATES: first of the created task; STRAND_NONE */
	task_id task;
	uint32_t lead;	     /* ns, as recorded */
	uint32_t out;	     /* graph_out() */
	uint8_t end : 4;     /* enum step_end */
	uint8_t lead_of : 4; /* enum lead: how it began in the trace */
	uint8_t wait;	     /* STEP_WAITS: enum wire_wait, or 0 */
	uint16_t flags;
};
_Static_assert(sizeof(struct step) == 32, "two steps a cache line");

struct parts {
	uint32_t n;
	uint64_t inside_ns; /* the runtime's time inside of it, besides the work */
};

struct graph {
	const struct dag *dag;
	struct step *step; /* n_steps */
	uint32_t *n_into;  /* by step: how many it waits for */
	strand_id *out;	   /* n_out: of steps with several, how many and which */
	uint32_t *lock;	 /* by step: the lock that it enters or leaves at its end; NULL: no locks */
	uint8_t *held;	 /* by step: its task holds a lock meanwhile; NULL: no locks */
	task_id *parent; /* by task; TASK_NONE */
	uint8_t *task_flags;   /* by task */
	struct parts *parts;   /* n_parts */
	struct map parts_of; /* step -> parts[] */
	struct arrival {
		uint64_t ns;
		strand_id step;
	} * arrival; /* what nothing in the trace releases; by time */
	uint32_t n_steps, n_out, n_parts, n_arrivals;
	uint32_t n_locks, lock_room; /* locks; and the numbers that lock[] may have */
	uint64_t work_ns, span_ns;
	uint64_t serial_ns; /* work under the lock with the most */
	uint64_t n_whole;   /* collapsed tasks that cannot be parted, as their span is not known */
	uint64_t part_room;
	uint64_t n_changed; /* steps that a change made other than they were */
	bool has_groups;    /* some task waits for all below it, not only for its children */
};

#define GRAPH_FIRST_CHOICE 1u /* task_flags: before others, by a change */
#define GRAPH_MERGED 2u	      /* a leaf that another one does the work of: over once created */

/* without work_ns, span_ns and serial_ns.  `dag` must outlive it. */
void graph_build(struct graph *graph, const struct dag *dag, const struct changes *changes);
void graph_free(struct graph *graph); /* a zeroed one is fine */

/* The step, which had none, has that many parts; not while a simulation runs. */
#define PARTS_MOST 65536u
void graph_part(struct graph *graph, strand_id s, uint64_t n, uint64_t inside_ns);
/* Collapsed tasks have one part from now on. */
void graph_keep_whole(struct graph *graph);
/* Once lengths are what they shall be: fills work_ns, span_ns and serial_ns. */
void graph_measure(struct graph *graph);
/* By step: the longest way from its beginning to the end.  The caller frees it. */
uint64_t *graph_ways(const struct graph *graph);
/* The longest way, of those by step, of what waits for the step's end; 0 if nothing does. */
uint64_t graph_way_after(const struct graph *graph, const struct step *step, const uint64_t *way);

/* What waits for the step's end besides its task's next step and the created task: n of them. */
static inline const strand_id *graph_out(const struct graph *graph, const struct step *step,
					 uint32_t *n)
{
	if (step->flags & STEP_OUT_MANY) {
		*n = graph->out[step->out];
		return &graph->out[step->out + 1];
	}
	*n = step->flags & STEP_OUT_ONE ? 1 : 0;
	return &step->out;
}

/* Whether tasks of their own could run it at the same time: not what a lock lets one task do. */
static inline bool graph_may_split(const struct graph *graph, strand_id s)
{
	return !(graph->step[s].flags & (STEP_NODE | STEP_PARTS)) &&
	       !(graph->held && graph->held[s]);
}

static inline const struct parts *graph_parts(const struct graph *graph, strand_id s)
{
	return &graph->parts[*map_find(&graph->parts_of, s)];
}

/* Its part on a way through the graph. */
static inline uint64_t graph_longest_part(const struct graph *graph, strand_id s)
{
	const struct step *step = &graph->step[s];
	uint32_t n = step->flags & STEP_PARTS ? graph_parts(graph, s)->n : 1;

	return (step->length + n - 1) / n;
}
