/* SPDX-License-Identifier: MIT */
/*
 * sweep.h - a run as time goes by: what runs, what is ready, and where the ready path is.
 *
 * sweep_next() goes on to the next step:
 *
 *	SWEEP_TIME	ns pass from now_ns on, all of them selected, and nothing changes in them
 *	SWEEP_TURN	a worker that runs nothing turns from one state to another
 *	SWEEP_START	a strand starts; what it waited for ended before
 *	SWEEP_END	a strand ends, and others may be ready from now on
 *	SWEEP_OVER	the window ends, or memory has run out
 *
 * Steps come in the order of time.  At an instant, ends come before starts, but for strands that
 * start and end there.  Used by one thread; times are ns since the window began.
 */
#pragma once

#include "tools/analysis/states.h"
#include "tools/analysis/mixture.h"
#include "tools/analysis/pauses.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/analysis/select.h"
#include "tools/analysis/workers.h"
#include "tools/dag/dag.h"
#include "tools/dag/running.h"

/* What is swept. */
struct sweep_scope {
	uint16_t runtimes;	    /* bits: strands of others neither run nor are ready */
	uint32_t n_workers, n_seen; /* P, and workers that were seen, which may be more */
	const struct pauses *pauses;
	const struct select *select; /* NULL: all of the window */
	struct charge_bins *bins;    /* NULL, or what a breakdown fills (breakdown.h) */
};

enum sweep_what { SWEEP_TIME, SWEEP_TURN, SWEEP_START, SWEEP_END, SWEEP_OVER };
/* outside: before its first strand, after its last, or while a task waits for what is outside */
enum path_state { PATH_OUTSIDE, PATH_RUNS, PATH_READY };

struct sweep {
	const struct dag *dag;
	struct sweep_scope scope;
	uint32_t n_idlers;	 /* workers that share idle time: P, or those seen, if more */
	uint64_t n_moves[MOVES]; /* strands that started in the selected time so far */
	bool plain;		 /* sweep_step.h */

	uint64_t now_ns;
	uint64_t p, r;		/* workers' strands that run, without collapsed ones; ready ones */
	uint64_t n_beside;	/* strands that run beside the workers */
	struct mixture mixture; /* of collapsed strands */

	/* TIME */
	uint64_t ns;
	/* Strands beside the workers take the places of free ones, as far as there are any: so
	 * many.  What else they do is not P's time. */
	uint64_t filled;
	uint64_t q; /* free workers, P - p - filled, without those that run collapsed tasks */
	uint64_t n_in[STATES]; /* of which so many are in each state; none is RUNNING */
	uint32_t row;	       /* of the selection; 0 without one */
	strand_id on_path;
	enum path_state path_state; /* of that strand */

	struct workers workers; /* and what each is in now */

	/* TURN */
	uint32_t worker;

	/* START and END */
	strand_id strand;
	bool counts;	     /* it is of these runtimes */
	strand_id releaser;  /* START: whose end made it ready; STRAND_NONE, if none did here */
	enum edge_kind edge; /* by which edge */
	uint64_t n_released; /* END: strands that are ready from now on */

	/* sweep.c's own */
	const struct ready_path *path;
	uint32_t at_path; /* path->strand[at_path] is running, ready, or the first and to come */
	uint64_t path_until_ns; /* and so it stays until then */
	uint32_t at_span;	/* of the selection: the one that holds now_ns, or the next */
	uint32_t hint;		/* dag_extras()'s */
	const struct released *released; /* by the scope's strands */
	struct released own;		 /* where pauses.h has not counted them */
	struct running running;
	enum sweep_what coming; /* at until_ns, of that strand */
	uint64_t until_ns;
	strand_id who;
	strand_id next;	  /* to start, of all but `who` .. */
	uint64_t next_ns; /* .. then; if there is none, the window ends */
};

/* The whole process: P is the dag's. */
struct sweep_scope sweep_all(const struct dag *dag, const struct pauses *pauses,
			     const struct select *select);
/* One runtime: its tasks and the roots that create them, and its workers. */
struct sweep_scope sweep_runtime(const struct dag *dag, uint32_t runtime,
				 const struct pauses *pauses, const struct select *select);

/* Whether the strand, no node, is of the scope's runtimes. */
static inline bool sweep_covers(const struct sweep_scope *scope, const struct dag *dag, strand_id s)
{
	return scope->runtimes == RUNTIMES_ALL || dag_runtimes(dag, s) & scope->runtimes;
}

/*
 * `path` is the ready path of the scope's runtimes; it has a strand.  dag, path and what the scope
 * points to must outlive the sweep.
 */
void sweep_open(struct sweep *sweep, const struct dag *dag, const struct ready_path *path,
		const struct sweep_scope *scope);
enum sweep_what sweep_next(struct sweep *sweep);
void sweep_close(struct sweep *sweep); /* a zeroed one is fine */
