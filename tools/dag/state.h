/* SPDX-License-Identifier: MIT */
/*
 * state.h - a dag in the making: what runs where, and what is not over yet.
 *
 * The lowest of dag_build()'s floors.  Each keeps what it needs in a struct of its own, which it
 * frees, and calls only those before it:
 *
 *	state <- depend <- scope <- barrier <- join <- gap <- effects <- build
 *
 * with kind, runtimes, objects, counts, collapsed_tasks, tally, held and signals beside, on state
 * alone.  All of it is indexes into arrays; 0 is a valid index everywhere but where NONE is said.
 */
#pragma once

#include "tools/dag/dag.h"
#include "tools/dag/ids.h"
#include "tools/dag/lane.h"
#include "tools/dag/live.h"
#include "tools/dag/merge.h"

#define WINDOW_MAX_NS (UINT64_C(1) << 48) /* 78 hours */

#define BUILD_FINAL 1u	    /* task_flags: the tasks that it creates are undeferred and final */
#define BUILD_UNDEFERRED 2u /* its parent waits for it */
#define BUILD_HANDLE 4u	    /* complete only once signalled */
#define BUILD_SIGNALLED 8u
#define BUILD_EMPTY 16u
#define BUILD_JOINED 32u
#define BUILD_MEMBER 64u   /* of a team: joined by its fork */
#define BUILD_DEPENDS 128u /* depend_preds() has its predecessors */

struct state {
	struct dag *dag;
	const struct reader *reader;
	const struct merge *merge; /* what comes next of each worker */
	struct prefault *prefault; /* of dag->strand[]; NULL */
	struct err *err;

	/* the event at hand */
	const struct event *event;
	uint32_t worker;
	uint64_t ns; /* on the reader's clock */

	struct lane *lane; /* n_lanes */
	uint32_t n_lanes;
	strand_id newest; /* strand: its extra edges are being added */
	struct ids ids;

	/* by task, besides the dag's own */
	strand_id *task_last; /* created: the creating strand; begun: its newest strand */
	uint32_t *task_slot;  /* created: its scope; begun: its live; ended: the next in its list */
	uint8_t *task_flags;
	struct map done_by; /* task -> strand that signalled its handle */
	struct map waits;   /* enum wire_wait << 32 | site -> dag->wait[]; 0 if there is no room */
	uint64_t wait_key;  /* of the newest wait, which most are like; 0 */
	uint16_t wait_number;
	struct live *live;
	uint64_t n_live, live_room;
	uint32_t free_live;
	struct live_more *more; /* by live.more */
	uint64_t n_more, more_room;
	uint32_t free_more;

	uint64_t last_ns;  /* of all timed events so far */
	uint64_t lossy_ns; /* the first gap of any worker begins then; UINT64_MAX */
	bool by_cause;	   /* the times of events may have been moved */
	bool cancelled;	   /* anything, so far */
	bool discarded;	   /* and it was said what */
	uint64_t *n_steps; /* through lists that no event is bound to: state_spend() */

	struct { /* of the dag's arrays */
		uint64_t strands, extras, tasks, kinds, collapsed, gaps, holds, waits, objects,
			messages, operations, data;
		uint64_t counts[WIRE_COUNTERS];
	} room;
	uint64_t n_counts[WIRE_COUNTERS]; /* how long dag->count[] is */
};

/* Of a zeroed dag. */
void state_open(struct state *state, struct dag *dag, const struct reader *reader,
		const struct merge *merge, uint64_t *n_steps, struct err *err);
void state_free(struct state *state); /* not the dag */

/* Fails with a message that names the event at hand; returns -EPROTO. */
int state_contradicts(struct state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same where events are missing before, which explains it: then 0. */
int state_unless_lossy(struct state *state, const char *what);
int state_too_large(struct state *state, const char *what); /* -EFBIG */
int state_too_long(struct state *state);		    /* likewise */

/*
 * A trace that no program gave may make each event walk a list of all others.  So walks are
 * counted, and a trace that needs more than a real one ever would is refused; likewise edges.
 */
#define STEPS_FREE (UINT64_C(1) << 29)
#define STEPS_AN_EVENT 1024u
#define STEPS_LOOKUP 16u /* what a search in a table counts as */
#define EDGES_FREE (UINT64_C(1) << 24)
#define EDGES_AN_EVENT 64u
static inline void state_spend(const struct state *state, uint64_t n)
{
	*state->n_steps += n;
}
/* Whether there may be one more of n edges, or links. */
static inline bool state_may_link(const struct state *state, uint64_t n)
{
	return n < EDGES_FREE + EDGES_AN_EVENT * state->dag->n_events;
}

/*
 * From the first gap on, events may speak of what was made or begun while nobody saw it; without
 * one they may not.
 */
static inline bool state_lossy(const struct state *state)
{
	return state->ns >= state->lossy_ns;
}

/* Room for one strand more. */
void state_strand_room(struct state *state);
/* Makes the newest strand, of no length, with no extra edges yet.  Its task, worker and start are
 * the caller's to set; in place, as what was stored in parts is slow to load whole. */
static inline struct strand *state_strand(struct state *state, strand_id pred, uint8_t flags)
{
	struct dag *dag = state->dag;
	strand_id s = dag->n_strands;

	if (s >= state->room.strands)
		state_strand_room(state);
	state->newest = s;
	__atomic_store_n(&dag->n_strands, s + 1, __ATOMIC_RELAXED); /* prefault_more() reads it */
	dag->how[s] = flags;
	dag->wait_of[s] = 0;
	dag->strand[s].length = 0;
	dag->strand[s].pred = pred;
	return &dag->strand[s];
}
/* The same of a node; place_node() says where it is. */
static inline void state_node(struct state *state)
{
	struct strand *node = state_strand(state, STRAND_NONE, 0);

	node->task = TASK_NONE;
	node->start_low = node->start_high = node->worker = 0;
}

void state_set_long(struct state *state, strand_id s, uint64_t length);
/* When the strand ended, since the window began. */
static inline void state_set_end(struct state *state, strand_id s, uint64_t ns)
{
	uint64_t length = ns - dag_start(state->dag, s);

	if (length >= STRAND_LONG) {
		state_set_long(state, s, length);
		return;
	}
	state->dag->strand[s].length = (uint32_t)length;
}
/* The strand ended with that wait. */
void state_wait(struct state *state, strand_id s, site_id site, enum wire_wait what);
/* Whether the strand's end is not known yet, or lies ahead. */
bool state_is_open(const struct state *state, strand_id s);
/* Adds an extra edge into the newest strand. */
int state_edge(struct state *state, strand_id from);
/* Adds edges from the task's last strand, and from the one that signalled it. */
int state_edges_from_task(struct state *state, task_id task);

/* Room for one task more. */
void state_task_room(struct state *state);
/* Makes a task; `last` is the strand that its first one follows, STRAND_NONE for a root. */
static inline void state_task(struct state *state, kind_id kind, strand_id last, uint32_t scope,
			      uint8_t flags, task_id *out)
{
	struct dag *dag = state->dag;
	task_id task = dag->n_tasks;

	if (task >= state->room.tasks)
		state_task_room(state);
	dag->task_kind[task] = kind;
	dag->task_state[task] = 0;
	if (dag->n_paths)
		dag->task_path[task] = 0;
	state->task_last[task] = last;
	state->task_slot[task] = scope;
	state->task_flags[task] = flags;
	dag->n_tasks = task + 1;
	*out = task;
}
int state_no_id(struct state *state); /* ids_make() failed */
/* The event at hand makes its id: it stands for that task, or team | MADE_TEAM. */
static inline int state_make_id(struct state *state, uint32_t what)
{
	return ids_make(&state->ids, state->event->made, what) ? state_no_id(state) : 0;
}
/* Whether all of the task is done, also what was detached from it. */
static inline bool state_complete(const struct state *state, task_id task)
{
	uint8_t flags = state->task_flags[task];

	return state->dag->task_state[task] & TASK_ENDED &&
	       (!(flags & BUILD_HANDLE) || flags & BUILD_SIGNALLED);
}
/* Whether the task's newest strand has not ended. */
static inline bool state_is_running(const struct state *state, task_id task)
{
	strand_id last = state->task_last[task];

	return last != STRAND_NONE && state->lane[state->dag->strand[last].worker].open == last;
}

/* Makes the task live, outside of any team: its slot is its live from now on. */
void state_begin(struct state *state, task_id task);
void state_end(struct state *state, struct live *live);
/* What few have, made when it is first wanted, and good until it is for another. */
struct live_more *state_more(struct state *state, struct live *live);
/* The same to be read, of any. */
static inline const struct live_more *state_more_of(const struct state *state,
						    const struct live *live)
{
	return &state->more[live->more];
}
/* NULL if it has not begun, or has ended. */
static inline struct live *state_live(const struct state *state, task_id task)
{
	const uint8_t *flags = state->dag->task_state;

	if (task == TASK_NONE || !(flags[task] & TASK_BEGUN) || flags[task] & TASK_ENDED)
		return NULL;
	return &state->live[state->task_slot[task]];
}
