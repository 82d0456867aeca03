/* SPDX-License-Identifier: MIT */
/*
 * machine_waits.h - which part of each moment the machine took: workers waited for a CPU meanwhile.
 *
 * Between two samples (machine.h) a worker's wait for a CPU is shared evenly over all that it was
 * in: its part of each moment is wait / time.
 *
 *	free	of what workers without a strand lose at a moment, the mean of their own parts
 *	others	of the rest, while they lack a strand that is ready or a lock, the mean of the parts
 *		of the workers that run strands: whoever has it goes on with a CPU only.  If none
 *		runs any, the part of the thread that the ready path goes on on
 *
 * Used by one thread, as time goes by.  Times are ns since the window began.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/analysis/machine.h"

struct wait_change {
	uint64_t ns; /* from then on */
	uint32_t worker;
	float part;
};

struct machine_waits {
	struct wait_change *change; /* in order of time */
	uint64_t n, at;		    /* change[at] is the next; n = 0: nobody waited */
	float *part;		    /* by worker, now */
	bool *runs;		    /* by worker: a strand */
	const bool *beside;	    /* by worker: is none (dag.h) */
	uint32_t n_workers, n_free; /* all of them; those that run nothing */
	double free;		    /* the sum of their parts */
	double all;		    /* the sum of all parts */
};

/* Means over a stretch of time. */
struct wait_means {
	double free, others;
};

void machine_waits_open(struct machine_waits *waits, const struct machine *machine,
			const struct dag *dag);
void machine_waits_close(struct machine_waits *waits); /* a zeroed one is fine */

void machine_waits_turn(struct machine_waits *waits, uint32_t worker, bool runs);

/* From `from_ns`, no earlier than at the call before, for `ns` on, while q workers are free and the
 * ready path's strand, that runs or is the next, is of the worker `next`. */
struct wait_means machine_waits_pass(struct machine_waits *waits, uint64_t from_ns, uint64_t ns,
				     uint64_t q, uint32_t next);
