/* SPDX-License-Identifier: MIT */
/*
 * build.h - a dag in the making: what dag_build() keeps beside the dag while it reads events.
 *
 *	live	a task that has begun and not ended: its wait, its open taskgroups
 *	scope	whom tasks belong to that outlive their parent: a team, or an open taskgroup; or
 *		a bag, whose tasks belong to it from the beginning
 *	list	ended tasks that somebody may still join, linked through task_slot
 *	team	a fork: a parallel region's team, or the tasks of a taskloop
 *
 * All of it is indexes into arrays; 0 is a valid index everywhere but where NONE is said.
 */
#pragma once

#include "tools/base/table.h"
#include "tools/dag/dag.h"
#include "tools/dag/merge.h"

#define NONE UINT32_MAX
#define WINDOW_MAX_NS (UINT64_C(1) << 48) /* 78 hours */

struct list {
	task_id head, tail; /* NONE if empty; linked through task_slot */
};

struct scope {
	uint32_t outer;	      /* the scope around it; NONE for the outermost */
	task_id owner;	      /* the task that opened a taskgroup; else TASK_NONE */
	struct list children; /* the owner's, created in this taskgroup */
	struct list orphans;  /* tasks below, whose parents have ended; all of a bag */
	uint32_t n_running;   /* of a bag: begun and not ended */
	uint32_t n_waiting;   /* tasks that wait for the bag */
	bool bag;
};

struct team {
	task_id forker;
	strand_id fork; /* the strand that ended with the fork */
	uint32_t site;
	uint32_t flags;	     /* enum wire_fork */
	uint32_t scope;	     /* of the members */
	struct list done;    /* members that ended */
	task_id last_member; /* the members, linked through live.team_next */
	uint32_t episode;    /* of the newest node */
	strand_id node;
};

struct live {
	task_id task;
	uint32_t scope; /* innermost */
	task_id parent;
	uint32_t home;	      /* the scope that it belongs to itself */
	struct list children; /* ended, of those created outside its own taskgroups */
	uint32_t team;	      /* it is a member of; NONE */
	uint32_t team_next;   /* live of the member before; NONE */
	uint32_t team_prev;   /* of the member after; NONE */
	uint32_t n_open;      /* children created or begun, and not complete */
	/* what it waits for, since its last strand ended */
	uint8_t ended_by; /* enum wire_kind */
	uint8_t wait;	  /* enum wire_wait; 0 if it turned out to be none */
	uint32_t forked;  /* the team; ended_by WIRE_FORK */
	task_id created;  /* ended_by WIRE_CREATE */
	uint32_t episode; /* its team waits so far */
	uint64_t wait_ns; /* since when */
	uint64_t object;
	bool has_object;   /* `object` was said of the wait */
	bool by_name;	   /* it began as who had a name, after the first gap */
	uint32_t meeting;  /* it waits there for the first to go on; NONE */
	uint32_t met_next; /* live that came there before it; NONE */
	strand_id met;	   /* the meeting's node, once the first has gone on; STRAND_NONE */
	task_id named;	   /* who had the object's name when the wait began; TASK_NONE */
	uint32_t preds;	   /* what WIRE_WAIT_DEPEND is for; NONE */
	uint32_t depends;  /* its children's dependences; NONE */
	uint32_t next_free;
};

/* A task's predecessors by data, and other links between tasks. */
struct link {
	task_id task;
	uint32_t next; /* NONE */
	bool soft;     /* global: the runtime may have the two in the other order */
};

/* A name that a task depends on. */
struct awaited {
	uint64_t name;
	task_id then;  /* who had it when that was said; TASK_NONE */
	uint32_t next; /* NONE */
};

/* A barrier among tasks of no team. */
struct meeting {
	uint32_t last; /* live of who came last, and did not go on yet; NONE */
};

/* Ids that follow one another, from `first` on; of_id[at] is the first's. */
struct id_range {
	uint64_t first, n, at;
};

struct lane {		  /* a worker */
	task_id task;	  /* whose strand is open, or ended last; TASK_NONE */
	strand_id open;	  /* STRAND_NONE */
	uint8_t begun_by; /* enum wire_kind of the event that began it */
	uint64_t last_ns; /* of its last timed event */
	bool has_event;	  /* there was one */
	strand_id newest; /* STRAND_NONE */
	uint64_t held_ns; /* by the recorder, before the event to come: held.h */
	uint32_t *of_id;  /* task or team (| MADE_TEAM), in the order of their ids */
	uint64_t n_of_id, id_room;
	struct id_range *range; /* which ids those are */
	uint64_t n_ranges, range_room;
	task_id detailed; /* the task that DEPEND events are about */
	bool global;	  /* which are matched among all tasks, not among siblings */
	bool ended_early; /* its task's END is still to come; it was clear before */
	bool after_gap;	  /* the next timed event is the first after a gap */
	strand_id cut;	  /* what the gap cut off; STRAND_NONE */
	uint64_t gap;	  /* the newest: its number in dag->gap[] */
	strand_id before_gap; /* what the gap, or several in a row, cut off; STRAND_NONE */
};
#define MADE_TEAM 0x80000000u

/* What is known of one address among the children of one task. */
struct depend_state {
	uint32_t writers; /* links: the last writer, or the last set of inoutset tasks */
	uint32_t readers; /* links: since then */
	uint32_t before;  /* links: what a further task of that set depends on */
	bool set;	  /* `writers` are inoutset */
};

struct depends {
	struct table by_address; /* to an index into state[], + 1 */
	struct depend_state *state;
	uint64_t n_states, state_room;
	task_id all; /* the last omp_all_memory task; TASK_NONE */
};

struct signal {
	strand_id strand;
	uint64_t ns;
	bool claimed; /* by a HANDLE */
};

#define BUILD_FINAL 1u	    /* task_flags: the tasks that it creates are undeferred and final */
#define BUILD_UNDEFERRED 2u /* its parent waits for it */
#define BUILD_HANDLE 4u	    /* complete only once signalled */
#define BUILD_SIGNALLED 8u
#define BUILD_EMPTY 16u
#define BUILD_JOINED 32u
#define BUILD_MEMBER 64u   /* of a team: joined by its fork */
#define BUILD_DEPENDS 128u /* `preds` has its predecessors */

struct build {
	struct dag *dag;
	struct err *err;
	const struct reader *reader;
	uint64_t strand_room, extra_room, task_room, kind_room, hidden_room;
	strand_id newest; /* whose extra edges are being added */

	/* by task, besides the dag's own */
	strand_id *task_last; /* created: the creating strand; begun: its newest strand */
	uint32_t *task_slot;  /* created: its scope; begun: its live; ended: the next in its list */
	uint8_t *task_flags;

	struct live *live;
	uint64_t n_live, live_room;
	uint32_t free_live;
	struct scope *scope;
	uint64_t n_scopes, scope_room;
	struct team *team;
	uint64_t n_teams, team_room;
	struct link *link;
	uint64_t n_links, link_room;
	struct depends *depends; /* by live.depends */
	uint64_t n_depends, depends_room;
	uint32_t global_depends; /* of tasks that are no siblings; NONE */
	struct awaited *awaited;
	uint64_t n_awaited, awaited_room;
	struct meeting *meeting;
	uint64_t n_meetings, meeting_room;
	struct signal *signal;
	uint64_t n_signals, signal_room;
	struct table by_name;	  /* name -> task + 1 that had it last */
	struct table by_bag;	  /* bag -> scope + 1 */
	struct table by_meeting;  /* object -> meeting + 1 */
	struct table awaits;	  /* task -> awaited + 1 */
	struct table by_object;	  /* object -> signal */
	struct table handle;	  /* object -> task + 1 that is complete by it */
	struct table done_by;	  /* task -> strand that signalled its handle */
	struct table unsignalled; /* ended task -> parent << 32 | scope */
	struct table preds;	  /* task -> link */

	struct lane *lane;
	uint32_t n_lanes;
	task_id empty;	   /* the one that the event before created, to be completed; TASK_NONE */
	bool cancelled;	   /* anything, so far */
	bool discarded;	   /* and it was said what */
	uint64_t last_ns;  /* of all timed events so far */
	bool by_cause;	   /* the times of events may have been moved */
	uint64_t lossy_ns; /* the first gap of any worker begins then; UINT64_MAX */
	uint64_t gap_room, hold_room;
	bool ties_hold; /* the event at hand begins the strand of the newest hold */
	struct table found; /* ids whose making is missing -> task + 1 */

	const struct merge *merge; /* what comes next of each worker */
	uint64_t *n_steps;	   /* through lists that no event is bound to; see build_spend() */

	/* the event at hand */
	const struct event *event;
	uint32_t worker;
	uint64_t ns; /* on the reader's clock */
};

/*
 * A trace that no program gave may make each event walk a list of all others.  So walks are
 * counted, and a trace that needs more than a real one ever would is refused; likewise edges.
 */
#define STEPS_FREE (UINT64_C(1) << 29)
#define STEPS_AN_EVENT 1024u
#define STEPS_LOOKUP 16u /* what a search in a table counts as */
#define EDGES_FREE (UINT64_C(1) << 24)
#define EDGES_AN_EVENT 64u
static inline void build_spend(const struct build *build, uint64_t n)
{
	*build->n_steps += n;
}
/* Whether there may be one more of n edges, or links. */
static inline bool build_may_link(const struct build *build, uint64_t n)
{
	return n < EDGES_FREE + EDGES_AN_EVENT * build->dag->n_events;
}
int build_too_large(struct build *build, const char *what); /* -EFBIG */

/* build.c: makes the newest strand, of no length, with no extra edges yet. */
int build_strand(struct build *build, const struct strand *strand, uint8_t flags);
/* Fails with a message that names the event at hand; returns -EPROTO. */
int build_contradicts(struct build *build, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int build_no_memory(struct build *build);
/* Adds an extra edge into the newest strand. */
int build_edge(struct build *build, strand_id from);
/* Adds edges from the task's last strand, and from the one that signalled it. */
int build_edges_from_task(struct build *build, task_id task);
/* The running task of a worker is over now, though its END comes later. */
int build_end_early(struct build *build, uint32_t worker);
/* The task that had the name last; TASK_NONE. */
task_id build_named(const struct build *build, uint64_t name);
/* Whether all of the task is done, also what was detached from it. */
bool build_complete(const struct build *build, task_id task);
static inline struct live *build_live(const struct build *build, task_id task)
{
	const uint8_t *state = build->dag->task_state;

	if (task == TASK_NONE || !(state[task] & TASK_BEGUN) || state[task] & TASK_ENDED)
		return NULL;
	return &build->live[build->task_slot[task]];
}

/* Makes a task; `last` is the strand that its first one follows, STRAND_NONE for a root. */
int build_task(struct build *build, uint32_t kind, strand_id last, uint32_t scope, uint8_t flags,
	       task_id *out);
int build_kind(struct build *build, uint64_t site, enum kind_what what, uint32_t *kind);
/* Whether the strand's end is not known yet, or lies ahead. */
bool build_is_open(const struct build *build, strand_id s);
int build_set_end(struct build *build, strand_id s, uint64_t ns);

/*
 * gap.c: what is missing.  From the first gap on, events may speak of what was made or begun while
 * nobody saw it; without one they may not.
 */
static inline bool build_lossy(const struct build *build)
{
	return build->ns >= build->lossy_ns;
}
/* Events of this worker are missing: LOST, and SINCE and UNTIL that follow it. */
int gap_event(struct build *build);
/* Before a timed event of the worker at hand: if a gap ended there.  It began no later. */
int gap_over(struct build *build);
/* A task of which nobody saw how it was made; `id` is 0 if it has none to be found by. */
int gap_task(struct build *build, uint64_t id, task_id *out);
/* Whether the end of the strand that the task runs may be missing without a gap that says so: a killed
 * program had no time to tell of one, nor has a ring that `tptrace recover` could not read, nor has an
 * old snapshot the notes of its last moment. */
bool gap_is_untold(const struct build *build, task_id task);
/* The task runs on, though its strand on another worker has not ended: that end is missing. */
int gap_elsewhere(struct build *build, task_id task);
/*
 * A strand begins where another runs: a task of a thread that was not recorded had begun that one,
 * as far as anybody saw, and was over at once.  An error if all threads were recorded.
 */
int gap_unrecorded(struct build *build);
/* Whether the task may have gone on, and stopped again, in the gap before the event at hand. */
bool gap_hides(const struct build *build, task_id task);
/* Whether the event at hand is the first after a stop. */
bool gap_was_asked_for(const struct build *build);
/* At the end: times of gaps become those of the window, and they are brought in order. */
void gap_finish(struct build *build);

/* hidden.c: tasks that were collapsed. */
/* A field of what the task that began just before stands for, with all tasks below it. */
int hidden_event(struct build *build);
/* Whether the strand, which ends so, is whole and says what can be; also if it hides nothing. */
bool hidden_fits(const struct build *build, strand_id s, enum wire_kind ended_by);
/* The strand ends now: what came after was the end of its task's own last strand. */
void hidden_shorten(const struct build *build, strand_id s);
/* At the end: strands that a gap, or the end of the trace, cut off keep what is known; rounding is evened
 * out. */
int hidden_settle(struct build *build);
/* What was tallied of them by kind, after that. */
int hidden_tally(struct build *build);

/* join.c: who waits for whom. */
void list_push(struct build *build, struct list *list, task_id task);
void list_splice(struct build *build, struct list *to, struct list *from);
/* A task is complete: its parent, or its scope if that has ended, may join it. */
void join_complete(struct build *build, task_id task, task_id parent, uint32_t scope);
/* A task is about to end: what it did not join is for others to join. */
void join_abandon(struct build *build, struct live *live);
/* Before its strand is made: makes the node of the barrier that it leaves, if it is the first. */
int join_before_resume(struct build *build, struct live *live);
/* Adds the edges of what the task waited for into its newest strand. */
int join_resume(struct build *build, struct live *live);
/* Unless it waits at a barrier of its team that not all of its members have reached, or by name for
 * a task that has not ended. */
bool join_all_arrived(const struct build *build, const struct live *live);
/* A new scope; NONE if out of memory. */
uint32_t join_open_scope(struct build *build, uint32_t outer, task_id owner);
/* The scope of that bag; NONE if out of memory. */
uint32_t join_bag(struct build *build, uint64_t bag);
/* The wait that began last has this object. */
int join_object(struct build *build, struct live *live, uint64_t object);
/* The wait turned out to be none. */
void join_no_wait(struct build *build, struct live *live);
/* The task's wait was over in a gap: the taskgroup that it closed is, and the outer one has the rest. */
void join_lost(struct build *build, struct live *live);
/* Nobody knows any more what the task waits for. */
void join_forget(struct build *build, struct live *live);
/* Adds edges from whom a wait by name is for, which began when `then` had the name. */
int join_named(struct build *build, task_id waiter, uint64_t name, task_id then, bool join);
/* Whether all that the task waits for is complete, as far as that is easily told. */
bool join_satisfied(const struct build *build, const struct live *live);

/* depend.c: data dependences among the children of one task. */
/* The child (or the wait, TASK_NONE) has this clause; adds to its predecessors. */
int depend_clause(struct build *build, struct live *parent, task_id child, bool global, uint64_t b);
/* Adds edges from whoever had or signalled the names that the task awaited. */
int depend_awaited(struct build *build, task_id task);
/* Whether who had those names then is complete. */
bool depend_awaited_done(const struct build *build, task_id task);
/* Adds edges from the predecessors into the newest strand. */
int depend_edges(struct build *build, uint32_t preds, bool join);
/* Whether the task is complete, and if so, when its code was over.  An empty one is when all that
 * it depends on is.  0 or -ENOMEM. */
int depend_done(struct build *build, task_id task, bool *done, uint64_t *ns);
/* Whether all of them are complete. */
bool depend_satisfied(const struct build *build, uint32_t preds);
/* The task's predecessors, NONE if it has none. */
uint32_t depend_preds(const struct build *build, task_id task);
void depend_close(struct build *build, struct live *live);
void depend_free(struct build *build);
