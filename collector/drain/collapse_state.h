/* SPDX-License-Identifier: MIT */
/*
 * collapse_state.h - what a pass of collapse.c knows: the tasks that are open, and those created.
 *
 * For collapse.c and the files below it alone.  Times are ticks.
 */
#pragma once

#include "collector/drain/collapse.h"

#define DEPTH 1024u /* tasks on top of one another */
#define NAMES                                                                                      \
	4096u /* powers of two, as is that of child[]: tables by the low bits of ids and           \
	       * names, where the newer pushes out the older, which is then unknown */
#define BAGS 1024u
#define SCOPES 4096u
#define TALLY_SLOTS (4 * COLLAPSE_TALLIES)

enum next_edge { NEXT_CREATE, NEXT_CREATE_CONT, NEXT_WAIT_CONT, NEXT_JOIN, N_NEXT };

enum child_state { CHILD_GONE, CHILD_CREATED, CHILD_RUNS, CHILD_ENDED, CHILD_JOINED };

/* A created task. */
struct child {
	_Alignas(64) uint64_t id;
	uint64_t name;
	union {
		struct {
			uint32_t slice;	  /* that it is of: all others are forgotten */
			uint32_t creator; /* frame.serial; 0: a task that is not in this slice from
					   * its beginning */
		};
		uint64_t whose;
	};
	uint64_t when;	     /* it was created; then when it ended */
	uint64_t span, path; /* of its creator up to its creation, then up to its own end */
	uint32_t chain;
	uint32_t site;
	uint32_t n_scopes; /* frame.n_scopes of its creator */
	union {
		struct {
			bool undeferred, final, maybe_final;
			uint8_t state; /* enum child_state */
		};
		uint32_t flags; /* all of these */
	};
};

/*
 * Children of the innermost task that a later wait is for: those of a bag or taskgroup that was
 * left for another one.  A task that spawns, calls what spawns and waits, and waits itself has one
 * of each call.
 */
struct scope {
	uint64_t bag, join_span; /* as in struct frame */
	uint32_t n_open, n_unjoined, join_chain;
	bool grouped;
};

/* A task that began in this slice, or went on in it, and has not ended. */
struct frame {
	_Alignas(32) union {
		struct {
			uint32_t slice, serial;
		};
		uint64_t whose; /* its children are */
	};
	uint32_t child;	       /* its own entry in child[], while that is child_id's */
	uint32_t at;	       /* of its BEGIN in the slice */
	uint32_t pending;      /* first of those below it */
	uint64_t id, child_id; /* two, if it was STARTed */
	uint64_t begin, n_ids; /* time, and the rest as in struct collapse then */
	uint32_t ready, interval;
	const uint64_t *mark_from; /* in interval[]: so far, no part of it is to be marked */
	/* what went on since then, without what is on top of it */
	uint64_t own;	     /* work of its strands */
	uint64_t below;	     /* of the tasks below it */
	uint64_t span, path; /* from its begin up to here, less `own`: may wrap */
	uint32_t chain;
	uint32_t n_scopes; /* that it left */
	uint64_t n_waits;
	uint64_t n_tasks; /* below it */
	/* children, without those of scopes that it left, and what it waits for */
	uint32_t n_open;     /* created and not ended */
	uint32_t n_unjoined; /* ended and not joined */
	uint64_t join_span, last_path;
	uint32_t join_chain;
	uint32_t created; /* child[] created last */
	uint64_t bag, object, wait_began;
	uint32_t wait; /* enum wire_wait */
	union {
		struct {
			bool collapsed; /* the strand that runs was collapsed before */
			bool final;
		};
		uint16_t odd; /* either; they are stored only where they change, or a load of both
			       * would wait for the store of one */
	};
	uint8_t ended_by; /* enum wire_kind; WIRE_NONE: it runs */
	bool maybe_final, grouped;
	bool continues;		      /* ready since it created the task that was begun at once */
	bool child_ended;	      /* since it began to wait */
	bool stuck;		      /* inlines, past `eager`, while others have yet to begin */
	uint32_t fields;	      /* collapsed: interval of the first event that says so */
	uint32_t n_created, n_waited; /* by itself */
	/* of a task that began before, or that none created: only a part of it can be collapsed */
	bool loose;
	bool inlines;	     /* it has run a child inside its creation */
	bool has_older;	     /* it may have children from before that a wait could join */
	bool marked;	     /* struct mark holds */
	bool names;	     /* children of it have names */
	uint64_t joined_bag; /* but none of these */
};

/*
 * How a task stood at the end of its last strand before which all its children had ended: from its
 * begin up to there a part of it can be collapsed, if not the whole (collapse_part.h).
 */
struct mark {
	uint32_t at, pending, interval, chain, join_chain, n_created, n_waited;
	uint64_t n_ids, own, below, span, path, join_span, n_waits, n_tasks;
};

_Static_assert(sizeof(struct child) == 64, "a cache line");

/* The flags of a child that was just created, and of which its site says nothing. */
static inline uint32_t child_flags(bool maybe_final)
{
	return (uint32_t)maybe_final << 16 | (uint32_t)CHILD_CREATED << 24;
}

/*
 * What went on from one timed event to the next, in one word: how long (32 bits), what was ready
 * meanwhile besides the strand that begins next (struct collapse, ready), and what it was.
 */
enum row {
	/* the worker was idle; what begins then is released by an edge: enum next_edge */
	ROW_BUSY = N_NEXT, /* a strand ran */
	ROW_COLLAPSED,	   /* fields said what: not as long as this, but which event that is */
	ROW_AFTER,	   /* up to the end of a task whose fields said what */
};
#define READY_CONTINUATION (1u << 15) /* there are fewer created tasks */
#define READY_MASK (READY_CONTINUATION - 1)
#define ROW_SHIFT 29

_Static_assert(COLLAPSE_SLICE <= READY_CONTINUATION, "a task is created after one begins");
_Static_assert((DEPTH + 1) * (uint64_t)READY_CONTINUATION <= 1u << ROW_SHIFT,
	       "an open task is left once at most");

struct pending { /* a task that is collapsed once one below it on the stack is collapsed */
	uint32_t own, ready;
	struct collapse_tally *tally;
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
	uint64_t *next_interval;      /* of interval[] */                                          \
	struct pending *next_pending; /* of pending[] */                                           \
	uint64_t last;		      /* time of the last timed event */                           \
	uint64_t n_ids;                                                                            \
	/* strands that are ready besides the one that begins next: created tasks, and creators    \
	 * that were left for the task that they created (READY_CONTINUATION each) */              \
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
	struct frame *top; /* the innermost open task; frame[0], which is none, if there is none */
	struct frame *bottom, *highest; /* frame[1], and the last one */
	union {
		struct {
			PROGRESS
		};
		struct progress progress;
	};
	uint64_t worker;
	uint64_t held; /* WIRE_TRACER taken out */
	uint32_t serial, slice, n_scopes;
	bool marked; /* some open task may be */
	bool again;  /* the slice was looked at before */
	const uint64_t *eager; /* in interval[]: from here on a task that runs children at once goes
				* on as if others had not been created */
	/* the task that waits, or waited last, for all its children, or for a bag */
	uint64_t waiter, waiter_bag;
	uint64_t span_before; /* of the task at hand, up to the collapsed strand that runs */
	uint32_t chain_before;
	struct child *child; /* behind this struct; .. */
	uint64_t child_mask; /* .. n_children - 1 */

	struct frame frame[DEPTH + 1];
	struct mark mark[DEPTH + 1]; /* of frame[] */
	uint16_t by_name[NAMES];     /* child[] */
	struct {
		uint64_t bag;
		uint32_t depth, serial;
	} by_bag[BAGS];
	struct scope scope[SCOPES]; /* of all frames, the innermost's last */
	struct pending pending[COLLAPSE_SLICE];
	uint64_t interval[COLLAPSE_SLICE];
	struct closed closed[CLOSED]; /* in the order of the slice */

	/* of all slices */
	struct collapse_tally *tally;  /* behind child[]; tally_room of them */
	uint16_t by_site[TALLY_SLOTS]; /* tally[] + 1 */
	uint32_t n_tallies, tally_room;
	uint64_t n_waits;
};

static inline bool is_open(const struct collapse *c)
{
	return c->top != c->frame;
}

/* Closes the parts of all open tasks that can be collapsed. */
void close_parts(struct collapse *c);

/* Open tasks cannot be collapsed, but for parts of them: their other events stay, and the pass
 * starts afresh. */
static inline void give_up(struct collapse *c)
{
	const struct closed *last;

	if (c->marked)
		close_parts(c);
	last = c->n_closed ? &c->closed[c->n_closed - 1] : NULL;

	c->top = c->frame;
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
			      const struct frame *frame)
{
	return (size_t)(at->next_interval - c->interval) - frame->interval;
}

static inline uint32_t n_pending(const struct collapse *c)
{
	return (uint32_t)(c->next_pending - c->pending);
}

/* What went on in an open task for `dt`, no longer than a limit, up to a timed event. */
static inline void note_at(struct progress *now, uint64_t dt, unsigned row)
{
	*now->next_interval++ = (uint64_t)(now->ready | row << ROW_SHIFT) << 32 | dt;
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
