/* SPDX-License-Identifier: MIT */
/*
 * clues.h - where the core-seconds without work went, each to one thing that was seen at the time.
 *
 * At each instant of a sweep (sweep.h) d = min(q, r) of q free workers could have run a ready
 * strand, and n = q - d could not.  In this order,
 *
 *	held	workers that the recorder holds	   of n first, else of d
 *	lock	workers that wait for a lock, and	   likewise
 *		take nothing else meanwhile
 *	call	workers that take a lock that	   of d first, else of n
 *		is free, or release one
 *	part	of all the others, if the ready	   of d
 *		path holds a lock, and only busy
 *		workers may take what is ready
 *	barred	workers in a wait that take	   of d: when ready strands that any worker may
 *		nothing until it is over	   take are more than the other free workers
 *	lag	the ready strands, in equal shares what is left of d
 *	lag	the ready path's strand, if it is what is left of n
 *		ready and does not run
 *	part	what runs on the ready path	   what is left of n
 *
 * Of all of these, the part that the machine took (machine_waits.h) is in `waited` instead.
 *
 * So no core-second is in two of them, and all of them together are all core-seconds without work.
 * A cause (cause.h) claims whole rows of these tables, and no two causes claim the same row.
 *
 * Lost time is in ns, as double: what a strand is charged with is a difference of integrals.
 */
#pragma once

#include "tools/analysis/breakdown.h"
#include "tools/analysis/findings/rounds.h"
#include "tools/analysis/findings/when.h"
#include "tools/analysis/kinds.h"
#include "tools/analysis/locks.h"
#include "tools/analysis/machine.h"

struct loss {
	double ns;
	double path_ns; /* while the ready path's strand was what waited or ran */
};

static inline void loss_add(struct loss *to, const struct loss *loss)
{
	to->ns += loss->ns;
	to->path_ns += loss->path_ns;
}

/* Takes so many ns out of a loss, at most all of it, and as large a part of the path's; returns
 * them. */
static inline struct loss loss_take(struct loss *from, double ns)
{
	double part = from->ns > ns ? 1 - ns / from->ns : 0;
	struct loss taken = { from->ns * (1 - part), from->path_ns * (1 - part) };

	from->ns *= part;
	from->path_ns *= part;
	return taken;
}

/* Why a ready strand does not run. */
enum lag {
	LAG_HELD,   /* a new task, while its creator has not come to a wait yet */
	LAG_BEGIN,  /* a new task, otherwise */
	LAG_CALL,   /* its worker is in the call that created a task; of the kind created */
	LAG_RESUME, /* after a wait; after a barrier: by wait */
	LAG_DEPEND, /* a new task, after those that it depended on */
	LAG_SYNC,   /* after a lock was free; by wait */
	LAG_AWAY,   /* it is a creator, and its worker runs a task that it created */
	LAG_BURIED, /* its worker, to which it is tied, runs something else */
	LAGS
};

/* What a call of the runtime, or a begin, takes: from when both strand and worker could go on. */
struct cost {
	uint32_t n_by_ns[WIRE_BUCKETS];
	uint64_t n, n_unknown;
	uint64_t sum_ns; /* each at most COST_MOST_NS: what takes longer slept, or had no CPU */
};
#define COST_MOST_NS 20000u
enum cost_of {
	COST_CALL,
	COST_BEGIN,
	COST_STEAL,  /* a begin elsewhere than it was created */
	COST_RESUME, /* after a wait */
	COST_LOOP,   /* a creator goes on elsewhere */
	/* and the work of tasks of one strand: while few workers ran beside it, or nearly all; and
	 * on the worker that created it, or on another one */
	WORK_ALONE,
	WORK_BESIDE,
	WORK_LOCAL,
	WORK_STOLEN,
	COSTS
};

/* A creator or waiter that cannot go on since its worker runs another task. */
struct burial {
	uint64_t n;
	kind_id over; /* what its worker ran in the longest of them */
	uint32_t worker;
	uint64_t from_ns, to_ns; /* the longest */
	struct when when;	 /* all of them */
};

struct kind_clues {
	struct loss lag[LAGS];
	struct loss one_creator;  /* of LAG_BEGIN: of tasks whose creator made half of the kind */
	uint64_t n_early, n_held; /* tasks that began before and after their creator waited */
	kind_id creator;	  /* of the task seen last */
	uint32_t most_created;	  /* by one task */
	uint64_t n_loop_stolen;	  /* creations after which the creator went on elsewhere */
	struct burial burial;	  /* AWAY and BURIED */
	struct cost *cost;	  /* [COSTS]; NULL if there are none */
	uint64_t n_stolen;
	uint64_t n_strands; /* collapsed ones are one */
	uint64_t n_forks;   /* regions that its tasks opened */
	uint64_t n_regions; /* whose members its tasks are, .. */
	uint64_t n_nested;  /* .. of which a member of another one opened so many */
	uint64_t n_yields;  /* its worker went on with it, and ran nothing meanwhile; .. */
	uint64_t yields_ns; /* .. how long that took */
};

/*
 * What each strand of the ready path is to the workers that have nothing to do meanwhile.
 *
 *	SERIAL	  code between, before or after tasks, or at the start or end of one
 *	PRODUCER  code of a task that creates many, between two creations
 *	CHAIN	  a task that another one depends on, or that depends on another one
 *	LEAF	  a task that creates none: others wait for it
 *	TEAM	  a member's own code, which the barrier of its team waits for
 *	LOCK	  it holds what the next strand of the path waits for
 */
enum role { ROLE_SERIAL, ROLE_PRODUCER, ROLE_CHAIN, ROLE_LEAF, ROLE_TEAM, ROLE_LOCK, ROLES };

#define PRODUCER_TASKS 10u /* creations on the path that make a task a producer */

/* Strands of one role and kind on the ready path, below one wait. */
struct part {
	enum role role;
	kind_id kind;  /* PRODUCER: what it creates */
	kind_id owner; /* PRODUCER: whose strands they are */
	uint32_t wait; /* in dag->wait[]; 0: none */
	/* SERIAL: beside all other tasks; or of a thread, before its first task */
	enum { PART_HEAD, PART_MIDDLE, PART_TAIL, PART_THREAD } where;
	struct loss loss;
	uint64_t n;		 /* strands, .. */
	uint64_t n_moves;	 /* .. each on another worker than the one before, .. */
	uint32_t worker;	 /* .. the last of all on this one, .. */
	uint64_t n_follow;	 /* .. each after another of them on the path, .. */
	uint64_t from_ns, to_ns; /* .. from the first's start to the last's end */
	double path_ns;		 /* how long they were the ready path's, .. */
	double waited_ns;	 /* .. of which their workers waited for a CPU */
	double busy_ns;		 /* integral of running workers meanwhile */
	strand_id longest;	 /* the strand that cost most, and .. */
	double longest_ns;	 /* .. what it cost, since .. */
	uint64_t begin_ns;	 /* .. its code began, .. */
	uint64_t end_ns;	 /* .. up to then */
	struct when when;	 /* while they cost something */
	uint64_t n_waits;	 /* LEAF, TEAM, SERIAL: times that a wait ended for them */
	bool moved;		 /* between workers */
	uint64_t alone_ns;	 /* from when the costliest ran alone, with nothing ready */
	bool is_first;		 /* of its role, kind and place, .. */
	uint32_t next;		 /* .. of which the next one is part[next]; 0: none */
};

/* Waits of one site. */
struct wait_clues {
	struct loss calls; /* in calls that take its locks while they are free, or release them */
	uint64_t n_calls, n_free; /* of which so many took one */
	uint64_t calls_ns;	  /* each at most COST_MOST_NS */
	struct loss lock;	  /* blocked there */
	struct loss barred;	  /* idle there */
	struct loss met;	  /* barrier: from when the last one came until members go on */
	uint64_t n_met;		  /* members that went on */
	kind_id member;		  /* the last of them */
	uint64_t n_lock, n_barred;
	uint64_t lock_max_ns;
	uint64_t n_waits;
	uint64_t took_others; /* waits in which the worker ran what it did not wait for */
	kind_id kind;	      /* of who waited last */
};

struct clues {
	const struct dag *dag;
	const struct select *select;
	uint64_t begin_ns, end_ns; /* of the window, or of what is selected of it */
	const struct breakdown *breakdown;
	const struct kind_facts *facts; /* by kind */
	const struct machine *machine;
	const struct machine_rows *machine_rows;
	const struct locks *locks;
	const struct kind_spots *spots;
	const struct kind_stretch *stretch; /* by kind; NULL */
	struct kind_clues *kind;	    /* dag->n_kinds */
	struct wait_clues *wait;	    /* dag->n_waits */
	struct part *part;		    /* n_parts */
	uint32_t n_parts;
	struct loss waited; /* for a CPU, by who ran nothing or by the ready path */
	struct loss held;
	kind_id held_most;     /* the kind with most events */
	double collapsed_ns;   /* delay inside of collapsed tasks */
	double unseen_ns;      /* before the ready path, but for its thread's code; or after it */
	uint64_t *ran_ns;      /* by worker: how long it ran strands */
	uint64_t event_ps;     /* grain_event_ps(), once all is gathered */
	uint64_t between_ps;   /* of that, what lies between strands, not in them */
	uint64_t tracer_ns;    /* and took in all of the run */
	uint64_t collector_ns; /* findings.h */
	uint64_t elapsed_ns;   /* of what is selected */
	const struct rounds *rounds;
	struct rounds own_rounds; /* what it points to, where none were given */
};

/* Events of the kind's tasks: of a strand where it begins and ends, of a collapsed task as
 * dag_events() has them. */
static inline uint64_t clues_events(const struct clues *clues, kind_id kind)
{
	const struct kind_collapsed *collapsed = clues->dag->kind_collapsed[kind];

	return 2 * clues->kind[kind].n_strands + 4 * (collapsed ? collapsed->n_tasks : 0);
}

/* Work without a CPU, for certain, in ns: where waits are known, in wait of one. */
static inline double without_cpu(const struct clues *clues)
{
	const struct machine_row *total = &clues->machine_rows->total;

	return (double)(total->has_wait ? total->wait_least_ns : total->off_least_ns);
}

struct findings_of;

/* Of `of` as findings_gather() has it. */
void clues_gather(struct clues *clues, const struct findings_of *of);
void clues_free(struct clues *clues); /* a zeroed one is fine */
