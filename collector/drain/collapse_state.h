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

enum next_edge { NEXT_CREATE, NEXT_CREATE_CONT, NEXT_WAIT_CONT, NEXT_JOIN };

enum child_state { CHILD_GONE, CHILD_CREATED, CHILD_RUNS, CHILD_ENDED, CHILD_JOINED };

/* A created task. */
struct child {
	_Alignas(64) uint64_t id;
	uint64_t name;
	uint32_t slice;	  /* that it is of: all others are forgotten */
	uint32_t creator; /* frame.serial; 0: a task that is not in this slice from its beginning */
	uint64_t when;	  /* it was created; then when it ended */
	uint64_t span, path; /* of its creator up to its creation, then up to its own end */
	uint32_t chain;
	uint32_t site;
	uint32_t n_scopes; /* frame.n_scopes of its creator */
	bool undeferred, final, maybe_final;
	uint8_t state; /* enum child_state */
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

/* A task that began in this slice and has not ended. */
struct frame {
	_Alignas(32) uint32_t serial;
	uint32_t child;		/* its own entry in child[], while that is child_id's */
	struct wire_event *out; /* where its BEGIN stands */
	uint32_t pending;	/* first of those below it */
	uint64_t id, child_id;	/* two, if it was STARTed */
	uint64_t begin, n_ids;	/* time, and the rest as in struct collapse then */
	uint32_t n_created, n_continuations;
	uint64_t ready[2];
	/* what went on since then, without what is on top of it */
	uint64_t own, work;
	uint64_t span, path; /* from its begin up to here */
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
	uint32_t wait;	  /* enum wire_wait */
	uint8_t ended_by; /* enum wire_kind; WIRE_NONE: it runs */
	bool final, maybe_final, grouped;
	bool continues;	  /* ready since it created the task that was begun at once */
	bool child_ended; /* since it began to wait */
	bool collapsed;	  /* it was collapsed before */
};

_Static_assert(sizeof(struct child) == 64, "a cache line");

/* How it stood before an event of the output, from the timed one before it on. */
struct before {
	uint16_t n_ready; /* n_created + n_continuations of struct collapse */
	uint16_t edge;	  /* that released the strand that begins */
};

struct pending { /* a task in the output that is collapsed once one below it on the stack is
		  * collapsed
		  */
	uint64_t own, ready;
	uint32_t site;
};

struct collapse {
	/* the slice at hand */
	const struct collapse_limits *limits;
	struct wire_event *first, *out; /* what was written; where the next one goes */
	struct frame *top; /* the innermost open task; frame[0], which is none, if there is none */
	uint32_t n_pending, n_scopes;
	uint64_t worker, n_ids;
	uint64_t last; /* time of the last timed event */
	uint64_t held; /* WIRE_TRACER taken out */
	/* strands that are ready besides the one that begins next: created tasks, and creators
	 * that were left for the task that they created */
	uint32_t n_created, n_continuations;
	uint64_t ready[2]; /* integrals of those two */
	uint32_t serial, slice;
	struct child *child; /* behind this struct; .. */
	uint64_t child_mask; /* .. n_children - 1 */

	struct frame frame[DEPTH + 1];
	uint16_t by_name[NAMES]; /* child[] */
	struct {
		uint64_t bag;
		uint32_t depth, serial;
	} by_bag[BAGS];
	struct scope scope[SCOPES]; /* of all frames, the innermost's last */
	struct pending pending[COLLAPSE_SLICE];
	struct before before[COLLAPSE_SLICE]; /* first[] */

	/* of all slices */
	struct collapse_tally *tally;		/* behind child[]; tally_room of them */
	uint16_t by_site[4 * COLLAPSE_TALLIES]; /* tally[] + 1 */
	uint32_t n_tallies, tally_room;
	uint64_t n_waits;
};

static inline bool is_open(const struct collapse *c)
{
	return c->top != c->frame;
}

/* Open tasks cannot be collapsed: their events are copied, and the pass starts afresh. */
static inline void give_up(struct collapse *c)
{
	c->top = c->frame;
	c->n_pending = c->n_scopes = 0;
	c->n_created = c->n_continuations = 0;
}

/* Keeps how it stood for `dt` before the event that is written next, or so many further `ahead`;
 * `edge` counts if that begins a strand. */
static inline void note(struct collapse *c, unsigned ahead, uint64_t dt, enum next_edge edge)
{
	c->before[c->out - c->first + ahead] =
		(struct before){ (uint16_t)(c->n_created + c->n_continuations), (uint16_t)edge };
	c->ready[0] += dt * c->n_created;
	c->ready[1] += dt * c->n_continuations;
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
