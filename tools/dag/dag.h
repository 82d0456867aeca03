/* SPDX-License-Identifier: MIT */
/*
 * dag.h - a traced run as a graph: who ran what, when, and after what.
 *
 *	strand	what one worker ran of one task between two calls of the runtime
 *	edge	`to` could not begin before `from` had ended; its kind follows from the two
 *	task	one unit handed to the runtime, and its strands
 *	kind	what tasks have in common: code and the place that creates them.  0 is the root
 *		tasks (main, and threads that call the runtime); site s of the trace is s + 1
 *	node	a strand of no length and no task that stands for a barrier's episode
 *
 * Built once, read-only from then on, freed whole.  Strands and edges are indexes into flat
 * arrays, in order of time: every edge goes from a smaller strand to a larger one.  So an
 * analysis is one loop, upward for "what came before", downward for "what comes after".
 *
 * Edges are kept by the strand that they lead to.  The first is from the strand's own task (or,
 * for a task's first strand, from the strand that created it); the rest are joins, dependences
 * and signals.
 *
 * Times are ns since the window began.  dag_build() refuses a trace whose events contradict one
 * another and names the event; it never repairs one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/err.h"
#include "preload/wire.h"

struct reader;

typedef uint32_t strand_id;
typedef uint32_t task_id;
#define STRAND_NONE UINT32_MAX
#define TASK_NONE UINT32_MAX

enum edge_kind {
	EDGE_CREATE,
	EDGE_CREATE_CONT,
	EDGE_WAIT_CONT,
	EDGE_JOIN,
	EDGE_DEPEND,
	EDGE_SYNC,
	EDGE_KINDS
};
extern const char *const edge_kind_name[EDGE_KINDS]; /* "create", .. as in the JSON report */

#define STRAND_FIRST 1u	     /* flags: its task's first */
#define STRAND_NODE 2u	     /* a barrier */
#define STRAND_UNFINISHED 4u /* cut off where the window ends */
#define STRAND_JOINS 8u	     /* began after a wait for tasks, not for an object */

struct strand { /* 24 bytes; times of 48 bits reach for 78 hours */
	uint32_t start_low, end_low;
	uint16_t start_high, end_high;
	task_id task;	   /* TASK_NONE for a node */
	uint32_t first_in; /* edges from[first_in] .. from[strand[s + 1].first_in - 1] lead here */
	uint16_t worker;
	uint8_t ended_by; /* enum wire_kind; WIRE_NONE if unfinished */
	uint8_t flags;
};

#define TASK_BEGUN 1u
#define TASK_ENDED 2u
#define TASK_CANCELLED 4u /* never began, and something was cancelled around it */

enum kind_what { KIND_ROOT, KIND_IMPLICIT, KIND_TASK, KIND_LOOP, KIND_WHATS };
extern const char *const kind_what_name[KIND_WHATS]; /* "root", .. */

struct dag {
	uint32_t n_strands, n_edges, n_tasks, n_nodes;
	uint32_t n_workers; /* P */
	uint32_t n_seen;    /* workers that a strand ran on */
	uint32_t n_slots;   /* 1 + the largest worker number */
	uint32_t n_kinds;
	struct strand *strand; /* n_strands + 1: the last one only ends the first_in ranges */
	strand_id *from;       /* n_edges */
	uint32_t *task_kind;   /* n_tasks */
	task_id *task_parent;
	uint8_t *task_state;
	uint8_t *kind_what; /* n_kinds: enum kind_what */
	uint64_t begin_ns;  /* where the window begins, on the reader's clock */
	uint64_t elapsed_ns;
	uint64_t n_begun, n_ended, n_cancelled; /* tasks */
	uint64_t n_lost;	    /* events */
	uint64_t held_ns;	    /* time that workers waited for the recorder */
	uint64_t n_events;	    /* that the recorder took a clock reading for */
};

/* 0, or -errno and *err. */
int dag_build(struct dag *dag, const struct reader *reader, struct err *err);
void dag_free(struct dag *dag);		      /* a zeroed or half-built dag is fine */
const char *dag_check(const struct dag *dag); /* NULL, or the first invariant that fails */

static inline uint64_t dag_start(const struct dag *dag, strand_id s)
{
	const struct strand *strand = &dag->strand[s];

	return (uint64_t)strand->start_high << 32 | strand->start_low;
}

static inline uint64_t dag_end(const struct dag *dag, strand_id s)
{
	const struct strand *strand = &dag->strand[s];

	return (uint64_t)strand->end_high << 32 | strand->end_low;
}

static inline bool dag_is_node(const struct dag *dag, strand_id s)
{
	return dag->strand[s].flags & STRAND_NODE;
}

static inline uint32_t dag_kind(const struct dag *dag, strand_id s)
{
	return dag->task_kind[dag->strand[s].task];
}

/* The predecessor that ended last, the first of equals; STRAND_NONE if there is none. */
strand_id dag_releaser(const struct dag *dag, strand_id s);

/* The kind of the edge from one of its predecessors. */
enum edge_kind dag_edge_kind(const struct dag *dag, strand_id from, strand_id to);

/* When the strand could have begun: its releaser's end, or its own start if it has none. */
static inline uint64_t dag_ready(const struct dag *dag, strand_id s)
{
	strand_id releaser = dag_releaser(dag, s);

	return releaser == STRAND_NONE ? dag_start(dag, s) : dag_end(dag, releaser);
}
