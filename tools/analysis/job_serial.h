/* SPDX-License-Identifier: MIT */
/*
 * job_serial.h - whether calls of MPI that a rank's workers make at the same time wait for each
 * other inside the library.
 *
 * Calls of one place, with messages of one size (a power of two), are compared: those that were
 * alone in the library, and those beside others of the rank for half of their time or more.  Only
 * the time after they had nobody to wait for counts, without waits for a CPU.
 *
 * If k calls at a time take k times as long as one alone, the library does one at a time; if they
 * take as long, it does them side by side.
 */
#pragma once

#include "tools/analysis/rank_calls.h"

struct job_serial {
	uint32_t rank, site;
	uint32_t kind; /* of the caller; RANK_NONE */
	uint64_t n_alone, n_beside;
	uint64_t alone_ns, beside_ns; /* means */
	double company; /* calls at a time, in the mean while those beside others last */
	uint64_t ns;	/* by which these took longer than as many alone */
};

/* Of a rank, whose calls waited for nobody from own_ns[] on. */
void job_serial_add(struct job_serial **serial, uint32_t *n, uint64_t *room, uint32_t rank,
		    const struct rank_calls *calls, const uint64_t *own_ns);
