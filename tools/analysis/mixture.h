/* SPDX-License-Identifier: MIT */
/*
 * mixture.h - what to expect at an instant at which some workers run collapsed tasks.
 *
 * A collapsed strand (dag.h, struct collapsed) says how long its worker was busy and idle with how
 * many further strands ready, not when.  Whenever the worker was idle a strand of its own was
 * ready, the one that it began next.  So with q idle workers and r ready strands elsewhere, i
 * of the collapsed workers idle and k further strands ready in them,
 *
 *	delay = min(q + i, r + i + k) = i + min(q, r + k)
 *
 * and its expectation follows from the distribution of (i, k), which is taken to be the same at
 * all instants of a collapsed task, and independent from task to task.  With q = 0, when no
 * worker starves, delay is exact, since i is.  Those i workers are in the runtime (states.h), but
 * for their part of the holds that lie inside collapsed tasks (tracer.h).  On the ready path a
 * collapsed task is ready while its worker is idle, runs while it is busy and nothing else is
 * ready, and runs else for its share.
 */
#pragma once

#include "tools/analysis/states.h"
#include "tools/analysis/tracer.h"
#include "tools/dag/dag.h"

#define MIXTURE_MEMBERS 3u /* so many are told apart: of more only their means count */
#define MIXTURE_READY 32u

struct mixture {
	const struct tracer *tracer;
	uint32_t n_members;
	uint64_t room;
	strand_id *member; /* collapsed strands that run now */
	strand_id on_path; /* the one of them that is on the ready path; STRAND_NONE */
	/* probability of i idle members with k strands ready, [0] while the one on the path runs,
	 * [1] while it is ready */
	double weight[2][MIXTURE_MEMBERS + 1][MIXTURE_READY];
	double more_idle, more_ready; /* means of the members that are alike, */
	double none_idle;	      /* and the probability that none of them is idle */
	double idle;		      /* mean of i, with those */
	double held;		      /* of these, held by the recorder */
	double next[2][EDGE_KINDS];   /* i by edge, with no other strand of theirs ready, and with
					 some, */
	double ready[EDGE_KINDS];     /* and k */
};

struct mixture_rates {
	double delay;		 /* workers */
	double no_work[STATES];	 /* workers in that state */
	double sched[STATES];	 /* likewise, while the collapsed part of the ready path is ready */
	double share;		 /* of delay, that each strand that is ready elsewhere gets */
	double starved_share;	 /* .. from idle workers */
	double edge[EDGE_KINDS]; /* delay of collapsed strands */
	double starved_delay;	 /* .. from idle workers */
	double starved;		 /* probability that a worker is idle, q + i > 0 */
	double path_work, path_scheduler, path_busy; /* of the collapsed part of the ready path */
};

void mixture_add(struct mixture *mixture, const struct dag *dag, strand_id s);
void mixture_remove(struct mixture *mixture, const struct dag *dag, strand_id s);
/* That strand is the ready path's now; it need not be a member. */
void mixture_on_path(struct mixture *mixture, const struct dag *dag, strand_id s);
void mixture_free(struct mixture *mixture); /* a zeroed one is fine */

/* With q free workers, n_in[] of them in each state, and r ready strands besides the members'. */
void mixture_rates(const struct mixture *mixture, uint64_t q, const uint64_t n_in[STATES],
		   uint64_t r, struct mixture_rates *rates);

static inline double mixture_sum(const double of_state[STATES])
{
	double all = 0;

	for (int i = 0; i < STATES; i++)
		all += of_state[i];
	return all;
}

/* The part of the time that the strand's worker is idle while it runs. */
double mixture_idle(const struct dag *dag, strand_id s);
