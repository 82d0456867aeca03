/* SPDX-License-Identifier: MIT */
/*
 * losses.h - what a trace says that is missing from it, besides events of its workers (dag.h).
 *
 * Times are ns since the begin of the window.  Read from the trace's definitions; nothing is
 * allocated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "collector/trace/reader.h"
#include "tools/dag/dag.h"
#include "tools/run/run.h"

#define LOSSES_BYPASSING 8u /* that a trace names at most */

struct losses {
	uint64_t n_tasks;    /* that the workers made, and that the file does not have */
	uint64_t n_rings;    /* of workers, that could not be read after a kill */
	uint64_t n_threads;  /* that had no ring: nothing of them is in the trace */
	uint64_t n_calls;    /* of signal handlers, in the midst of another call */
	uint64_t n_unplaced; /* of tasks that one of n_threads made, or of handlers */
	uint64_t n_marks;    /* phases and regions */
	uint64_t marks_since_ns, marks_until_ns;
	uint64_t n_turns; /* calls of tptrace_start() and tptrace_stop() without effect */
	uint64_t n_after; /* tasks of other threads, while the end was written */
	uint64_t after_ns, after_until_ns;
	/* of files whose calls of runtimes did not come by the recorder; the reader's */
	const char *bypassing[LOSSES_BYPASSING];
	uint32_t n_bypassing;
};

struct losses losses_of(const struct reader *reader, const struct dag *dag);

/* When in the window, or before it (0), the collector died; false if that is not known. */
bool losses_collector_died(const struct run *run, uint64_t *ns);

/* Whether any are. */
bool losses_any(const struct losses *losses);

/* A line for each kind of loss that there is. */
void losses_put(FILE *out, const struct losses *losses);
