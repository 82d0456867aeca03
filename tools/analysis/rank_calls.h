/* SPDX-License-Identifier: MIT */
/*
 * rank_calls.h - the calls of MPI of one rank: what each was for, and what led to it.
 *
 *	step	what tasks of one kind ran, in a row, on the way to a call: from there back, each
 *		time to the strand that ended last of those that had to end before: the releaser,
 *		or what its worker ran before it.  Ways that meet share what lies before
 *	ready	while a task is in a call, and keeps its worker, more strands are ready than idle
 *		workers could run: the call's part of that [states.h: delay in STATE_MESSAGE]
 *	idle	workers have nothing to run while the ready path is in the call: they wait for it,
 *		too [DESIGN: no-work goes to the ready path]
 *
 * Waits for a CPU are those of the workers that ran the steps, and made the calls (machine.h).
 *
 * Times are ns since the trace's time 0 plus `zero_ns`: on the clock that all ranks of a host have.
 */
#pragma once

#include "tools/analysis/machine.h"
#include "tools/analysis/pauses.h"
#include "tools/dag/dag.h"

#define RANK_NONE UINT32_MAX

/* Time between this step and the one before it belongs to it, but for that of a call. */
struct rank_step {
	uint64_t begin_ns, end_ns, cpu_wait_ns;
	uint64_t work_ns; /* of it, its strands ran */
	uint32_t before;  /* the step before it; RANK_NONE */
	uint32_t call;	  /* that it began after; RANK_NONE */
	uint32_t kind;	  /* kind_id; to others: a number of a place */
};

struct rank_call {
	uint64_t begin_ns, end_ns, cpu_wait_ns, ready_ns, idle_ns;
	uint32_t step; /* that ended with it; RANK_NONE */
	bool is_cut;   /* behind the window */
	uint32_t site; /* site_id; to others: a number of a place */
};

struct rank_message {
	uint32_t call;
	uint8_t field;	     /* enum wire_message */
	bool again;	     /* a further wait for it */
	uint32_t rank, comm; /* these as dag_message has them */
	uint32_t order, tag, n_ranks;
	uint64_t bytes;
};

struct rank_calls {
	struct rank_call *call; /* those with messages, in order of time */
	struct rank_message *message;
	struct rank_step *step;
	uint32_t n_calls, n_messages, n_steps;
	uint32_t last_step;	   /* with which the window ends; RANK_NONE */
	uint64_t born_ns;	   /* `zero_ns`, or where it is known the process's start (run.h) */
	uint64_t begin_ns, end_ns; /* of the window, and what of the calls lies behind it */
};

/* Without `pauses` nothing leads to the calls: there are no steps, and nothing is ready. */
void rank_calls_find(struct rank_calls *calls, const struct dag *dag, const struct pauses *pauses,
		     const struct machine *machine, uint64_t zero_ns);
/* How long calls last that are on the way to the end of the window. */
uint64_t rank_calls_on_path_ns(const struct rank_calls *calls);
void rank_calls_free(struct rank_calls *calls); /* a zeroed one is fine */
