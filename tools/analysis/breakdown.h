/* SPDX-License-Identifier: MIT */
/*
 * breakdown.h - where elapsed x P went, and which code or worker is charged with it.
 *
 * At an instant p(t) workers run strands, q(t) = P - p(t) do not, r(t) strands are ready:
 *
 *	work = integral of p		delay = integral of min(q, r)
 *	no-work = integral of max(0, q - r)	work + delay + no-work = elapsed * P, exactly
 *
 * [massivethreads dag_recorder, dr_basic_stat_process_event()].  no-work is "sched" while the
 * ready path is ready and does not run, else "app" [Delay Spotter].  All in ns, as integers.
 *
 * Charged: work to the strand that runs; delay to the ready strands in equal shares at each
 * instant; no-work-sched to the strand of the ready path that is delayed; no-work-app to the
 * one that runs on it (before the path begins, to its first; after its end, to its last).  The
 * shares are rounded so that every column adds up exactly to its component.
 *
 * Charged by state: the runtime's time to the task inside the call, blocked time to the task that
 * waits, and what idle workers have of delay and no-work ("starved") as above.  Work, these, and
 * the tracer's time add up to elapsed * P, too.
 */
#pragma once

#include "tools/analysis/pauses.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/released.h"
#include "tools/analysis/select.h"
#include "tools/analysis/states.h"
#include "tools/analysis/course.h"
#include "tools/dag/dag.h"

struct breakdown {
	struct charge total;
	struct charge state[STATES]; /* adds up to the total */
	struct charge call[CALLS];   /* adds up to STATE_RUNTIME */
	uint64_t path_work_ns, path_scheduler_delay_ns, path_busy_delay_ns;
	uint64_t delay_by_edge_ns[EDGE_KINDS];
	struct charge *kind; /* dag->n_kinds */
	/* by kind; each state adds up: of the tasks that were inside a call, or waited for a lock,
	 * a message; idle time, by what it waited for; of the tasks whose events had to wait; none
	 * of RUNNING */
	struct state_times *in_state;
	/*
	 * By worker: its own work, and its idle time, shared among the idle at each instant.
	 * n_slots + 1 of them: the last is for the workers that the runtime has and nobody saw.
	 * Where more workers were seen than P, q is shared among all that are idle.
	 */
	struct charge *worker;
	struct charge *row; /* by row of the selection: n_rows of them; NULL if all is selected */
	uint64_t n_moves[MOVES]; /* strands, by how they came to their worker */
	struct course course;
};

/*
 * Of the whole process: P is the dag's.  `path` is ready_path_build()'s, for RUNTIMES_ALL.  Of the
 * selected time alone, which then stands for elapsed above; NULL: of all.
 */
void breakdown_build(struct breakdown *breakdown, const struct dag *dag,
		     const struct ready_path *path, const struct pauses *pauses,
		     const struct select *select);

/* Whether the kind is charged with anything, in either profile. */
static inline bool breakdown_has(const struct breakdown *breakdown, kind_id kind)
{
	return charge_sum(&breakdown->kind[kind]) || state_times_sum(&breakdown->in_state[kind]);
}

/* One graph by its kinds. */
struct breakdown_of {
	const struct dag *dag;
	struct breakdown *out;
};

/* Of all of it, with its ready path and pauses. */
void breakdown_whole(struct breakdown *breakdown, const struct dag *dag);

/*
 * The same for several graphs that differ in their kinds alone, up to CROSSED_MOST (crossed.h), in
 * one sweep.  Of all or none.  `bins`, unless NULL: the components over time, too, if that sweep
 * is plain; else they are left without any.
 */
void breakdown_build_all(const struct breakdown_of *of, uint32_t n, const struct ready_path *path,
			 const struct pauses *pauses, const struct select *select,
			 struct charge_bins *bins);

/*
 * Of one runtime: its tasks and the roots that create them are what runs or is ready, and P is the
 * number of its workers.  While the ready path, which ends with the runtime's last strand, runs
 * something else, that is charged with no-work-app.
 */
void breakdown_build_of(struct breakdown *breakdown, const struct dag *dag, uint32_t runtime,
			const struct pauses *pauses, const struct select *select);
void breakdown_free(struct breakdown *breakdown); /* a zeroed one is fine */
