/* SPDX-License-Identifier: MIT */
/*
 * collapse_state.h - what a pass of collapse.c knows, and where it is.
 *
 * For collapse.c and the files below it alone.  Times are ticks.
 */
#pragma once

#include "collector/collapse/collapse.h"
#include "collector/collapse/open_task.h"

#define DEPTH 1024u /* tasks on top of one another */
#define NAMES                                                                                      \
	4096u /* powers of two, as is that of child[]: tables by the low bits of ids and           \
	       * names, where the newer pushes out the older, which is then unknown */
#define BAGS 1024u
#define SCOPES 4096u
#define TALLIES 1024u /* sites of a slice, at most */
#define TALLY_SLOTS (4 * TALLIES)

enum next_edge { NEXT_CREATE, NEXT_CREATE_CONT, NEXT_WAIT_CONT, NEXT_JOIN, N_NEXT };

/* Of struct interval. */
enum row {
	/* the worker was idle; what begins then is released by an edge: enum next_edge */
	ROW_BUSY = N_NEXT, /* a strand ran */
	ROW_COLLAPSED,	   /* fields said what: `dt` is which event that is */
	ROW_AFTER,	   /* up to the end of a task whose fields said what */
	ROWS = 8
};
#define READY_CREATED (1u * ROWS)
#define READY_CONTINUATION (1u << 18) /* there are fewer created tasks */
#define DEEP 32u /* creators that were left, of which each number has rows of its own: rewrite.c   \
		  */
#define ROW_STRANGE (1u << 31) /* with ROW_COLLAPSED: more than can be ready */

_Static_assert(COLLAPSE_SLICE <= READY_CONTINUATION / READY_CREATED,
	       "a task is created after one begins");
_Static_assert((DEPTH + 1) * (uint64_t)READY_CONTINUATION < ROW_STRANGE - READY_CONTINUATION,
	       "an open task is left once at most");

/* The collapsed tasks of one site. */
struct collapse_tally {
	uint32_t site;
	uint32_t low, high; /* no buckets but these have tasks */
	uint64_t n_tasks;
	uint64_t work;			  /* of their own strands */
	uint64_t ready;			  /* from creation to begin */
	uint64_t least, most;		  /* work of one */
	uint64_t n_by_work[WIRE_BUCKETS]; /* tasks, by wire_bucket(work of one) */
};

struct pending { /* a task that is collapsed once one below it on the stack is collapsed */
	uint32_t own, ready;
	uint32_t tally; /* tally_of() its site */
};

/* A task that can be collapsed, or a part of one; of those inside one another the outermost. */
struct closed {
	uint32_t at, end; /* in the slice: of the events that begin it and end it */
	uint32_t pending, pending_end, interval, interval_end;
	uint32_t ready; /* before it began */
	uint32_t chain, join_chain, n_created, n_waited;
	uint64_t made, own, work, span, path, join_span, n_waits, n_tasks;
};

/* Collapsing takes the place of more events than it leaves. */
#define CLOSED (COLLAPSE_SLICE / WIRE_COLLAPSED_FIELDS)

/* What nearly all events change: collapse_plain.c has a copy of it in registers. */
#define PROGRESS                                                                                   \
	struct interval *next_interval; /* of interval[] */                                        \
	struct pending *next_pending;	/* of pending[] */                                         \
	uint64_t last;			/* time of the last timed event */                         \
	uint64_t n_ids;                                                                            \
	/* strands that are ready besides the one that begins next: created tasks (READY_CREATED   \
	 * each), and creators that were left for the task that they created (READY_CONTINUATION)  \
	 */                                                                                        \
	uint32_t ready;

struct progress {
	PROGRESS
};

struct collapse {
	/* the slice at hand */
	_Alignas(64) const struct collapse_limits *limits;
	uint32_t strand, task; /* limits, as far as an interval goes */
	uint32_t least;	       /* likewise; one is nothing but the strand itself */
	uint32_t at;	       /* of the event at hand in the slice */
	uint32_t n_closed;
	const struct wire_event *plain_from; /* the event `at`, while collapse_plain() runs */
	struct open_task *top; /* the innermost open task; open[0], which is none, if there is none */
	struct open_task *bottom, *highest; /* open[1], and the last one */
	union {
		struct {
			PROGRESS
		};
		struct progress progress;
	};
	uint64_t worker;
	uint32_t serial, slice, n_scopes;
	bool has_cut;		      /* some open task may be */
	bool held;		      /* the slice has WIRE_TRACER */
	bool again;		      /* the slice was looked at before */
	const struct interval *eager; /* in interval[]: from here on a task that runs children at
				       * once goes on as if others had not been created */
	/* the task that waits, or waited last, for all its children, or for a bag */
	uint64_t waiter, waiter_bag;
	uint64_t span_before; /* of the task at hand, up to the collapsed strand that runs */
	uint32_t chain_before;
	struct child *child; /* behind this struct; .. */
	uint64_t child_mask; /* .. n_children - 1 */

	struct open_task open[DEPTH + 1];
	struct cut cut[DEPTH + 1]; /* of open[] */
	uint16_t by_name[NAMES];     /* child[] */
	struct {
		uint64_t bag;
		uint32_t depth, serial;
	} by_bag[BAGS];
	struct scope scope[SCOPES]; /* of all frames, the innermost's last */
	struct pending pending[COLLAPSE_SLICE];
	struct interval interval[COLLAPSE_SLICE];
	struct closed closed[CLOSED]; /* in the order of the slice */

	uint64_t deep[DEEP * 2 * ROWS]; /* rewrite.c's; zero between two tasks */

	struct collapse_tally *tally; /* behind child[]; tally_room of them */
	struct {
		uint32_t site, tally; /* tally[] + 1; 0: none */
	} by_site[TALLY_SLOTS];
	uint32_t n_tallies, tally_room;
	bool full;		       /* a TALLY of the slice found no room in tally[] */
	uint32_t n_heard;	       /* TALLY events of the slice */
	uint64_t n_waits, n_taken_out; /* of all sites: enum wire_tally, WAITS and EVENTS */
};

static inline bool is_open(const struct collapse *c)
{
	return c->top != c->open;
}

/* Closes the parts of all open tasks that can be collapsed. */
void close_parts(struct collapse *c);

/* Open tasks cannot be collapsed, but for parts of them: their other events stay, and the pass
 * starts afresh. */
static inline void give_up(struct collapse *c)
{
	const struct closed *last;

	if (c->has_cut)
		close_parts(c);
	last = c->n_closed ? &c->closed[c->n_closed - 1] : NULL;

	c->top = c->open;
	c->next_pending = c->pending + (last ? last->pending_end : 0);
	c->next_interval = c->interval + (last ? last->interval_end : 0);
	c->n_scopes = c->ready = 0;
}

static inline uint32_t n_intervals(const struct collapse *c)
{
	return (uint32_t)(c->next_interval - c->interval);
}

/* What went on since the task began, in interval[]. */
static inline size_t n_within(const struct collapse *c, const struct progress *at,
			      const struct open_task *task)
{
	return (size_t)(at->next_interval - c->interval) - task->interval;
}

static inline uint32_t n_pending(const struct collapse *c)
{
	return (uint32_t)(c->next_pending - c->pending);
}

/* What went on in an open task for `dt`, no longer than a limit, up to a timed event. */
static inline void note_at(struct progress *now, uint64_t dt, unsigned row)
{
	*now->next_interval++ = (struct interval){ (uint32_t)dt, now->ready | row };
}
static inline void note(struct collapse *c, uint64_t dt, unsigned row)
{
	note_at(&c->progress, dt, row);
}

static inline struct child *child_of(struct collapse *c, uint64_t id)
{
	struct child *child = &c->child[id & c->child_mask];

	return child->id == id && child->slice == c->slice ? child : NULL;
}

static inline uint32_t name_slot(uint64_t name)
{
	return (uint32_t)((name * 0x9e3779b97f4a7c15u) >> 52) % NAMES;
}

static inline uint32_t bag_slot(uint64_t bag)
{
	return (uint32_t)((bag * 0x9e3779b97f4a7c15u) >> 52) % BAGS;
}

static inline struct child *child_named(struct collapse *c, uint64_t name)
{
	struct child *child = &c->child[c->by_name[name_slot(name)]];

	return child->name == name && child->slice == c->slice ? child : NULL;
}
