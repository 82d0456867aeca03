/* SPDX-License-Identifier: MIT */
/*
 * open_task.h - a task as a pass of collapse.c sees it: created, open, left, and cut.
 *
 * Times are ticks.
 */
#pragma once

#include "collector/collapse/collapse_interval.h"

enum child_state { CHILD_GONE, CHILD_CREATED, CHILD_RUNS, CHILD_ENDED, CHILD_JOINED };

/* A created task. */
struct child {
	_Alignas(64) uint64_t id;
	uint64_t name;
	union {
		struct {
			uint32_t slice;	  /* that it is of: all others are forgotten */
			uint32_t creator; /* open_task.serial; 0: a task that is not in this slice
					   * from its beginning */
		};
		uint64_t whose;
	};
	uint64_t when;	     /* it was created; then when it ended */
	uint64_t span, path; /* of its creator up to its creation, then up to its own end */
	uint32_t chain;
	uint32_t site;
	uint32_t n_scopes; /* open_task.n_scopes of its creator */
	union {
		struct {
			bool undeferred, final, maybe_final;
			uint8_t state; /* enum child_state */
		};
		uint32_t flags; /* all of these */
	};
};

_Static_assert(sizeof(struct child) == 64, "a cache line");

/* The flags of a child that was just created, and of which its site says nothing. */
static inline uint32_t child_flags(bool maybe_final)
{
	return (uint32_t)maybe_final << 16 | (uint32_t)CHILD_CREATED << 24;
}

/*
 * Children of a task that one wait is for: all, or those of a bag or taskgroup.  A task that
 * spawns, calls what spawns and waits, and waits itself has left one scope for each call.
 */
#define SCOPE                                                                                      \
	uint64_t bag, join_span;                                                                   \
	uint32_t n_open;     /* created and not ended */                                           \
	uint32_t n_unjoined; /* ended and not joined */                                            \
	uint32_t join_chain;                                                                       \
	bool grouped;

struct scope {
	SCOPE
};

/*
 * A task that began in this slice, or went on in it, and has not ended.
 *
 * A partial one is stuck if it runs children inside their creation, {C}, while older ones wait:
 *
 *	create A  create B  create C {C}  create D {D}  ..  A and B have yet to begin: no cut
 *	     collapse.eager ^           | given up    | ..  goes on without A and B: cuts
 */
struct open_task {
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
	const struct interval *cut_from; /* in interval[]: no cut before it */
	/* what went on since then, without what is on top of it */
	union {
		struct {
			SUMS
		};
		struct sums sums;
	};
	/* children that a wait would be for now, and what it waits for */
	union {
		struct {
			SCOPE
		};
		struct scope scope;
	};
	uint32_t n_scopes; /* that it left for this one */
	uint32_t created;  /* child[] created last */
	uint64_t last_path, object, wait_began;
	uint32_t wait; /* enum wire_wait */
	union {
		struct {
			bool collapsed; /* the strand that runs was collapsed before */
			bool final;
		};
		uint16_t odd; /* either; they are stored only where they change, or a load of both
			       * would wait for the store of one */
	};
	bool maybe_final;
	bool continues;	  /* ready since it created the task that was begun at once */
	bool child_ended; /* since it began to wait */
	bool stuck;	  /* past collapse.eager; see above */
	uint32_t fields;  /* collapsed: interval of the first event that says so */
	/* enum wire_kind; WIRE_NONE: it runs.  Alone in its word: compilers test neighbours with
	 * one load, which would wait for the store of this one, at nearly each event */
	uint32_t ended_by;
	uint32_t n_created, n_waited; /* by itself */
	/* of a task that began before, or that none created: only a part of it can be collapsed */
	bool partial;
	bool inlines;	     /* it has run a child inside its creation */
	bool has_older;	     /* it may have children from before that a wait could join */
	bool has_cut;	     /* struct cut holds where */
	bool names;	     /* children of it have names */
	uint64_t joined_bag; /* but none of these */
};

/* Both at once: a load of both would wait for two stores. */
static inline uint64_t whose_make(uint32_t slice, uint32_t serial)
{
	return (uint64_t)serial << 32 | slice;
}
