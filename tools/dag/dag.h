/* SPDX-License-Identifier: MIT */
/*
 * dag.h - a traced run as a graph: who ran what, when, and after what.
 *
 *	strand	what one worker ran of one task between two calls of the runtime
 *	edge	`to` could not begin before `from` had ended; its kind follows from the two
 *	task	one unit handed to the runtime, and its strands
 *	site	a place in the program that creates tasks: its number in the trace
 *	kind	tasks of the same code that one site creates.  0 is the root tasks (main, and
 *		threads that call the runtime), which no site creates; the others follow in
 *		the order of their sites
 *	runtime	what a kind's tasks were handed to.  Root tasks are of those whose tasks they create
 *	node	a strand of no length and no task that stands for a barrier's episode
 *
 * Built once, read-only from then on, freed whole.  Strands and edges are indexes into flat
 * arrays, in order of time: every edge goes from a smaller strand to a larger one.  So an
 * analysis is one loop, upward for "what came before", downward for "what comes after".
 *
 * Most strands have one edge that leads to them: from their own task's strand before, or, for a
 * task's first strand, from the strand that created it.  It is the strand's `pred`.  All others
 * (joins, dependences, signals) are extra edges, kept in the order of the strands they lead to.
 *
 * A trace of 10^8 events must fit: a strand takes 22 bytes, and 8 for each counter, an extra edge
 * 8, a task 5.
 *
 * Times are ns since the window began.  dag_build() refuses a trace whose events contradict one
 * another and names the event; it never repairs one.  Only where events are said to be missing
 * (WIRE_LOST) may they speak of what nobody saw: a strand then ends where the gap begins, what
 * runs after it has no edge that leads to it, and a task may come from nowhere.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/err.h"
#include "collector/trace/wire.h"
#include "tools/base/map.h"

struct reader;
struct ids;

typedef uint32_t strand_id;
typedef uint32_t task_id;
typedef uint32_t kind_id;
typedef uint32_t site_id;
#define STRAND_NONE UINT32_MAX
#define TASK_NONE UINT32_MAX
#define KIND_OF_ROOTS 0u
#define SITE_NONE UINT32_MAX
#define SITE_UNKNOWN 0u /* creates tasks whose creation nobody saw, or of no known site */

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

struct strand {
	uint32_t start_low; /* ns; 48 bits reach for 78 hours */
	uint16_t start_high;
	uint16_t worker;
	uint32_t length; /* ns; STRAND_LONG: see dag->lengths */
	task_id task;	 /* TASK_NONE for a node */
	strand_id pred;	 /* STRAND_NONE for a root's first strand, and for a node */
};
#define STRAND_LONG UINT32_MAX

/* dag->how[]: enum wire_kind of what ended it, WIRE_NONE if the window did; and flags. */
#define STRAND_ENDED_BY 15u
#define STRAND_FIRST 16u      /* its task's first */
#define STRAND_JOINS 32u      /* began after a wait for tasks, not for an object */
#define STRAND_EXTRA 64u      /* has extra edges */
#define STRAND_COLLAPSED 128u /* stands for several, and for tasks below them: dag_collapsed() */

/*
 * What a strand stands for: a task that ran on one worker from its begin to its end, or a part of
 * one, with all tasks below it (collector/collapse/collapse.h).  The strand's length is
 * all that time; its work is less.
 */
struct collapsed {
	uint64_t own_ns;  /* work of the task itself */
	uint64_t work_ns; /* and of all below it */
	uint64_t span_ns;
	/* the longest path from its begin to a task that it did not join, and the most tasks on
	 * one; 0: no more than span_ns, chain */
	uint64_t join_span_ns;
	uint32_t join_chain;
	uint32_t n_created, n_waited; /* of a part: tasks that its task created itself; its waits */
	uint64_t path_ns;	      /* work along the ready path */
	uint32_t chain;		      /* tasks below it on the path with the most of them */
	uint64_t n_tasks;	      /* below it */
	/* how long the worker was idle, by the edge of what began next, and busy; with how many
	 * further strands ready, [WIRE_COLLAPSED_K - 1]: so many or more; and their integral */
	uint64_t next_ns[2][EDGE_JOIN +
			    1]; /* idle time by edge: create .. join; [1]: with more ready */
	uint64_t ready_ns[EDGE_CREATE_CONT + 1];
	uint64_t idle_ns[WIRE_COLLAPSED_K], busy_ns[WIRE_COLLAPSED_K];
};

/* How long its worker was idle. */
static inline uint64_t collapsed_idle_ns(const struct collapsed *collapsed)
{
	uint64_t sum_ns = 0;

	for (unsigned more = 0; more < 2; more++)
		for (int e = 0; e <= EDGE_JOIN; e++)
			sum_ns += collapsed->next_ns[more][e];
	return sum_ns;
}

struct extra {
	strand_id to, from;
};

/* A place in the program that waits, and what for. */
struct dag_wait {
	site_id site;
	uint8_t what; /* enum wire_wait; 0 for the first, which stands for none */
	/* of messages: the rank that is waited for, + 1; DAG_WAIT_RANKS: it is not always the same
	 * one; 0: not known */
	uint32_t rank;
};
#define DAG_WAIT_RANKS UINT32_MAX
#define DAG_WAITS 65536u /* those that do not fit count as none */
#define DAG_WAIT_LARGE UINT8_MAX

/* What a strand signalled when it ended, or waits for: a lock, a full/empty bit or the like. */
struct dag_object {
	uint64_t name;
	strand_id strand;
	uint32_t before; /* while the graph is built: signals.h */
};

/*
 * A message that a wait was for, or a collective call: collector/trace/message.h.  The wait may lie
 * behind the window.
 */
struct dag_message {
	uint64_t begin_ns, end_ns; /* of the wait */
	strand_id strand;	   /* that ended with it; or, if that is cut, before it, or NONE */
	site_id site;		   /* of the wait */
	uint8_t field;		   /* up to WIRE_MESSAGE_BEGINS */
	bool is_cut, again; /* again: a further wait for it */
	uint32_t rank;
	uint32_t comm, order, tag, n_ranks; /* 0: not said; the tag + 1 */
	uint64_t bytes;
};

/* What a device did, or I/O, and for which task; on the program's word. */
struct dag_operation {
	uint64_t begin_ns, end_ns; /* since the window began; 0: or before it */
	uint64_t bytes;
	task_id task; /* TASK_NONE: none that is known */
	uint32_t worker;
	site_id site;
};

/* What a task uses, on the program's word. */
struct dag_data {
	uint64_t object, bytes; /* 0: how many is not said */
	task_id task;
	uint32_t node; /* + 1; 0: not said */
	uint8_t access; /* 1 read, 2 written, 3 written in any order; 0: not said */
};
#define DATA_ACCESSES 4u
extern const char *const data_access_name[DATA_ACCESSES]; /* "unknown", .. */

#define TASK_BEGUN 1u
#define TASK_ENDED 2u
#define TASK_EMPTY 8u	  /* has no code, so it never begins */
#define TASK_CANCELLED 4u /* never began, and something was cancelled around it */
#define TASK_CALLED 16u	  /* the program asked that it runs at once: if(), final() */
#define TASK_TARGET 32u	  /* of a target construct */

/* The collapsed tasks of a kind; none of them is among the dag's tasks. */
struct kind_collapsed {
	uint64_t n_tasks;
	uint64_t work_ns, ready_ns;	  /* ready: from creation to begin */
	uint64_t least_ns, most_ns;	  /* work of one */
	uint64_t n_by_work[WIRE_BUCKETS]; /* by wire_bucket(), of ns */
};

enum kind_what { KIND_ROOT, KIND_IMPLICIT, KIND_TASK, KIND_LOOP, KIND_WHATS };
extern const char *const kind_what_name[KIND_WHATS]; /* "root", .. */

#define DAG_RUNTIMES 16u

struct dag_runtime {
	uint32_t n_workers; /* its P */
	uint32_t n_seen;    /* workers that ran a strand of it */
	uint32_t calls_ps;  /* what recording took for a strand, besides its events */
	uint32_t tokens;    /* the fewest items that a pipeline could have in it; 0: none */
	uint64_t n_tasks;   /* without roots */
};

/*
 * Events of one worker that are missing.  Times are ns since the window began, 0 for what was
 * before it; a gap may last longer than the window.
 */
struct gap {
	uint64_t n; /* events; 0 if nobody counted them */
	uint64_t since_ns, until_ns;
	uint32_t worker;
	uint32_t why; /* enum wire_loss */
};

/*
 * The recorder held a worker, which waited for the collector.  The strand is the one that ended
 * last before (`after`; STRAND_NONE: there was none), or the one that began when it was over.
 */
struct hold {
	uint64_t ns; /* since the window began: when it began (`after`), or was over */
	uint64_t length_ns;
	uint32_t worker;
	strand_id strand;
	bool after;
	bool inside; /* the strand is collapsed, and its worker was held while it ran */
	bool works;  /* it is the work of the strand; only while the dag is built */
};

struct dag {
	uint32_t n_strands, n_extras, n_tasks, n_nodes;
	uint32_t n_workers; /* P: width.h */
	uint32_t n_seen;    /* workers that a strand ran on */
	uint32_t n_beside;  /* threads that ran a strand, and are no workers: width.h */
	uint32_t n_slots;   /* 1 + the largest worker number */
	uint32_t n_kinds;
	struct strand *strand; /* n_strands */
	uint8_t *how;	       /* n_strands */
	uint8_t *wait_of;      /* n_strands: dag_wait_number(), or DAG_WAIT_LARGE */
	struct map waits_of;   /* and of those: strand -> dag_wait_number() */
	struct dag_wait *wait; /* n_waits */
	uint32_t n_waits;
	struct dag_object *object; /* n_objects, by strand */
	uint64_t n_objects;
	struct dag_message *message; /* n_messages, in the order of their waits' ends */
	uint64_t n_messages;
	struct dag_operation *operation; /* n_operations, in the order in which they were said */
	struct dag_data *data;		 /* n_data, likewise */
	uint64_t n_operations, n_data;
	/* n_strands each: what it counted; NULL: nothing was counted by any.  The numbers are those
	 * of the trace's definitions */
	uint64_t *count[WIRE_COUNTERS];
	uint32_t n_counters;
	struct map lengths;	     /* of those longer than 4 s: strand -> ns */
	struct extra *extra;	     /* n_extras, by `to` */
	struct collapsed *collapsed; /* n_collapsed */
	struct map collapsed_of;     /* strand -> collapsed[] */
	uint32_t n_collapsed;
	kind_id *task_kind;  /* n_tasks */
	uint32_t *task_path; /* n_tasks: the call path that made it, in the trace's definitions, 0:
			      * unknown; NULL: the trace has none */
	uint32_t n_paths;
	uint8_t *task_state;			/* TASK_BEGUN | .. */
	site_id *kind_site;			/* n_kinds: SITE_NONE for the roots */
	uint8_t *kind_what;			/* n_kinds: enum kind_what */
	struct kind_collapsed **kind_collapsed; /* n_kinds; NULL where nothing is collapsed */
	uint64_t n_collapsed_tasks, n_collapsed_waits;
	struct map node_releaser;  /* node -> its dag_releaser(), which all that leave it ask for */
	uint16_t *kind_runtimes;   /* n_kinds: bits; kind 0, the roots, has none */
	uint16_t *worker_runtimes; /* n_slots: bits, of what it ran */
	uint16_t *worker_tasks;	   /* n_slots: bits, of its tasks but roots and target tasks */
	bool *beside;		   /* n_slots: ran a strand, and is no worker */
	struct map root_runtimes;  /* root task -> bits, of those that create tasks */
	struct map creators; /* task -> the one that created it, where no first strand says so */
	struct dag_runtime runtime[DAG_RUNTIMES];
	uint32_t n_runtimes;
	uint64_t begin_ns; /* where the window begins, on the reader's clock */
	uint64_t elapsed_ns;
	uint64_t n_begun, n_ended, n_cancelled; /* tasks */
	struct gap *gap;			/* by worker, in order; n_gaps */
	uint64_t n_gaps;
	uint64_t n_lost;   /* events, but for those that were not to be recorded */
	uint64_t n_found;  /* tasks whose creation is missing; of site SITE_UNKNOWN */
	struct hold *hold; /* by worker in the order of its events; n_holds */
	uint64_t n_holds;
	uint64_t held_ns; /* time that workers waited for the recorder */
	/* clocks of workers did not agree: the most that an event had to be moved, and when */
	uint64_t moved_ns, moved_at_ns; /* moved_at_ns is on the reader's clock */
	uint64_t n_events;		/* that the recorder took a clock reading for */
	uint64_t n_made;		/* tasks that the file's events made, collapsed ones, too */
	struct ids *ids;		/* the trace's, of its tasks: ids.h */
};

/* 0, or -errno and *err. */
int dag_build(struct dag *dag, const struct reader *reader, struct err *err);
void dag_drop_ids(struct dag *dag);	      /* only exports name tasks by their ids */
void dag_free(struct dag *dag);		      /* a zeroed or half-built dag is fine */
const char *dag_check(const struct dag *dag); /* NULL, or the first invariant that fails */

static inline uint64_t dag_start(const struct dag *dag, strand_id s)
{
	const struct strand *strand = &dag->strand[s];

	return (uint64_t)strand->start_high << 32 | strand->start_low;
}

static inline uint64_t dag_length(const struct dag *dag, strand_id s)
{
	uint32_t length = dag->strand[s].length;

	return length == STRAND_LONG ? *map_find(&dag->lengths, s) : length;
}

static inline uint64_t dag_end(const struct dag *dag, strand_id s)
{
	return dag_start(dag, s) + dag_length(dag, s);
}

/* What the strand stands for; NULL for a strand that was not collapsed. */
static inline const struct collapsed *dag_collapsed(const struct dag *dag, strand_id s)
{
	if (!(dag->how[s] & STRAND_COLLAPSED))
		return NULL;
	return &dag->collapsed[*map_find(&dag->collapsed_of, s)];
}

/* The work that the strand stands for. */
static inline uint64_t dag_work(const struct dag *dag, strand_id s)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);

	return collapsed ? collapsed->work_ns : dag_length(dag, s);
}

/* The part of it in its first ns: that of a collapsed one counts as even. */
static inline uint64_t dag_work_until(const struct dag *dag, strand_id s, uint64_t ns)
{
	uint64_t length = dag_length(dag, s);

	if (ns >= length)
		return dag_work(dag, s);
	return (uint64_t)((unsigned __int128)dag_work(dag, s) * ns / length);
}

/* The wait that the strand ended with, in wait[]; 0 if it ended with none, or one that was none. */
static inline uint16_t dag_wait_number(const struct dag *dag, strand_id s)
{
	uint8_t number = dag->wait_of[s];

	return number < DAG_WAIT_LARGE ? number : (uint16_t)*map_find(&dag->waits_of, s);
}
void dag_set_wait(struct dag *dag, strand_id s, uint16_t number);

/* The same; NULL for 0. */
static inline const struct dag_wait *dag_wait_of(const struct dag *dag, strand_id s)
{
	return dag->wait_of[s] ? &dag->wait[dag_wait_number(dag, s)] : NULL;
}

/*
 * For so long two tasks may seem to hold one lock, when one hands it to the other: the clocks of
 * two processors may differ (CLOCK_OFFSET_UNSURE_NS), a libomp that is linked statically tells of a
 * release only after it, and in traces of before there was clock_fence() a processor read the clock
 * before it had the lock's cache line.
 */
#define DAG_HANDOVER_NS 500u

/* The object that the strand signalled when it ended, or waits for; NULL if there is none. */
const struct dag_object *dag_object_of(const struct dag *dag, strand_id s);

/* Whether it is the order of a team's loop, which OpenMP's shims name by the team's id and bit 47:
 * no address is like that. */
static inline bool dag_object_is_order(uint64_t object)
{
	return (object >> 32 & 0xffff) == 0x8000;
}

/* The events that were recorded, with those of collapsed tasks: of each its creation, its parent's
 * resumption, its begin and its end. */
static inline uint64_t dag_events(const struct dag *dag)
{
	return dag->n_events + 4 * dag->n_collapsed_tasks + 2 * dag->n_collapsed_waits;
}

/* What the shims' calls took for a strand besides its events: of several runtimes that had tasks,
 * the least. */
static inline uint32_t dag_calls_ps(const struct dag *dag)
{
	uint32_t ps = UINT32_MAX;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks && dag->runtime[r].calls_ps < ps)
			ps = dag->runtime[r].calls_ps;
	return ps == UINT32_MAX ? 0 : ps;
}

static inline bool dag_is_node(const struct dag *dag, strand_id s)
{
	return dag->strand[s].task == TASK_NONE;
}

static inline kind_id dag_kind(const struct dag *dag, strand_id s)
{
	return dag->task_kind[dag->strand[s].task];
}

/* The runtimes that the root task belongs to, as bits; one that creates nothing belongs to all. */
static inline uint16_t dag_root_runtimes(const struct dag *dag, task_id root)
{
	const uint64_t *bits = map_find(&dag->root_runtimes, root);

	return bits ? (uint16_t)*bits : UINT16_MAX;
}

/* The runtimes that the strand belongs to, as bits. */
static inline uint16_t dag_runtimes(const struct dag *dag, strand_id s)
{
	kind_id kind = dag_kind(dag, s);

	return kind != KIND_OF_ROOTS ? dag->kind_runtimes[kind]
				     : dag_root_runtimes(dag, dag->strand[s].task);
}

/*
 * The extra edges into a strand: dag->extra[e] with e from dag_extras() on, while its `to` is s.
 * `*hint` is 0 at first, and makes a loop upward over the strands fast.
 */
uint32_t dag_extras(const struct dag *dag, strand_id s, uint32_t *hint);

/* The predecessor that ended last, the first of equals; STRAND_NONE if there is none. */
strand_id dag_releaser_of(const struct dag *dag, strand_id s, uint32_t *hint);
static inline strand_id dag_releaser(const struct dag *dag, strand_id s, uint32_t *hint)
{
	if (!(dag->how[s] & STRAND_EXTRA)) /* most of them */
		return dag->strand[s].pred;
	return dag_releaser_of(dag, s, hint);
}

/*
 * The kind of the edge from one of its predecessors.
 *
 * A strand that ended by CREATE or FORK leads to its own task or to the created one; one that
 * ended by WAIT, YIELD or SIGNAL to its own task, or as an arrival into a barrier's node, or as
 * a signal to who waited for it, or to the root of a thread; one that ended its task to a join or
 * a dependent.
 */
static inline enum edge_kind dag_edge_kind(const struct dag *dag, strand_id from, strand_id to)
{
	unsigned ended_by = dag->how[from] & STRAND_ENDED_BY;
	bool by_creation = ended_by == WIRE_CREATE || ended_by == WIRE_FORK;

	if (dag_is_node(dag, from) || dag_is_node(dag, to))
		return EDGE_JOIN;
	if (dag->strand[from].task == dag->strand[to].task)
		return by_creation ? EDGE_CREATE_CONT : EDGE_WAIT_CONT;
	if (by_creation)
		return EDGE_CREATE;
	if (dag->how[to] & STRAND_FIRST)
		return dag_kind(dag, to) == KIND_OF_ROOTS ? EDGE_SYNC : EDGE_DEPEND;
	return ended_by == WIRE_SIGNAL && !(dag->how[to] & STRAND_JOINS) ? EDGE_SYNC : EDGE_JOIN;
}
