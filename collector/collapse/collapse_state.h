/* SPDX-License-Identifier: MIT */
/*
 * collapse_state.h - what a pass of collapse.c knows, and where it is.
 *
 * For collapse.c and the files below it alone.  Times are ticks.
 */
#pragma once

#include "collector/collapse/collapse_interval.h"
#include "collector/collapse/open_task.h"

/* Powers of two, as is n_children: tables by the low bits of ids and names, where the newer pushes
 * out the older, which is then unknown. */
#define NAMES 4096u
#define BAGS 1024u
#define SCOPES 4096u
#define TALLIES 1024u /* sites of a slice, at most */
#define TALLY_SLOTS (4 * TALLIES)

struct collapse {
	/* the slice at hand */
	_Alignas(64) const struct collapse_limits *limits;
	uint32_t strand, task; /* limits, as far as an interval goes */
	uint32_t least;	       /* likewise; one is nothing but the strand itself */
	uint32_t at;	       /* of the event at hand in the slice */
	uint32_t held;	       /* behind the slice's last WIRE_TRACER; 0: there is none */
	uint32_t n_closed;
	const struct wire_event *plain_from; /* the event `at`, while collapse_plain() runs */
	struct open_task *top; /* the innermost open task; open[0], which is none, for none */
	struct open_task *bottom, *highest; /* open[1], and the last one */
	union {
		struct {
			PROGRESS
		};
		struct progress progress;
	};
	uint64_t worker;
	uint32_t serial, slice, n_scopes;
	bool has_cut;		      /* some open task may have one */
	bool again;		      /* the slice was looked at before */
	const struct interval *eager; /* in interval[]: behind it, a stuck task is given up */
	/* the task that waits, or waited last, for all its children, or for a bag */
	uint64_t waiter, waiter_bag;
	uint64_t span_before; /* of the task at hand, up to the collapsed strand that runs */
	uint32_t chain_before;
	struct child *child; /* behind this struct; .. */
	uint64_t child_mask; /* .. n_children - 1 */

	struct open_task open[DEPTH + 1];
	struct cut cut[DEPTH + 1]; /* of open[] */
	uint16_t by_name[NAMES];   /* child[] */
	struct {
		uint64_t bag;
		uint32_t depth, serial;
	} by_bag[BAGS];
	struct scope scope[SCOPES]; /* of all open tasks, the innermost's last */
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

/* A task, or its part up to that cut, can be collapsed, and takes the place of those in it. */
void close_task(struct collapse *c, const struct open_task *task, const struct cut *end);
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
	c->next_pending = c->pending + (last ? last->end.pending : 0);
	c->next_interval = c->interval + (last ? last->end.interval : 0);
	c->n_scopes = c->ready = 0;
}

/* How many there are of interval[] and pending[]. */
static inline uint32_t n_intervals(const struct collapse *c, const struct progress *at)
{
	return (uint32_t)(at->next_interval - c->interval);
}

static inline uint32_t n_pending(const struct collapse *c, const struct progress *at)
{
	return (uint32_t)(at->next_pending - c->pending);
}

/* What went on since the task began, in interval[]. */
static inline size_t n_within(const struct collapse *c, const struct progress *at,
			      const struct open_task *task)
{
	return (size_t)(at->next_interval - c->interval) - task->interval;
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
