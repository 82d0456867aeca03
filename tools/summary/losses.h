/* SPDX-License-Identifier: MIT */
/*
 * losses.h - all that is missing from a trace.
 *
 * Times are ns since the begin of the window.  Read from the trace's definitions and the gaps of
 * its workers; nothing is allocated.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/trace/reader.h"
#include "tools/dag/dag.h"
#include "tools/run/run.h"

#define LOSSES_BYPASSING 8u	  /* that a trace names at most */
#define LOSS_UNKNOWN UINT64_MAX	  /* a count or a time */
#define LOSS_NO_WORKER UINT32_MAX /* it is of no one worker */

enum loss_what { LOSS_EVENTS, LOSS_TASKS, LOSS_MARKS, LOSS_THREADS, LOSS_CALLS, LOSS_WHATS };

extern const char *const loss_what_name[LOSS_WHATS];

struct loss {
	enum loss_what what;
	uint32_t worker;
	uint64_t count;
	const char *why;
	uint64_t from_ns, to_ns;
	const char *where; /* a file; NULL */
};

struct losses {
	const struct dag *dag;
	const struct reader_facts *file;
	const char *unwritten; /* why the file could not grow, if it could not; NULL */
	uint64_t n_tasks;      /* that the workers made, and that the file does not have */
	uint64_t n_rings;      /* of workers, that could not be read after a kill */
	uint64_t n_untaken;    /* events that workers counted, and nobody found in their rings */
	uint64_t n_threads;    /* that had no ring: nothing of them is in the trace */
	uint64_t n_calls;      /* of signal handlers, in the midst of another call */
	uint64_t n_unplaced;   /* of tasks that one of n_threads made, or of handlers */
	uint64_t n_marks;      /* phases and regions */
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

/* What becomes of one of them. */
typedef void losses_sink(void *context, const struct loss *loss);

/* Hands on each loss that there is: those of JSON's `losses`.  How many; the sink may be NULL. */
uint64_t losses_each(const struct losses *losses, losses_sink *sink, void *context);

/* Whether there are any: --strict follows from this alone. */
static inline bool losses_any(const struct losses *losses)
{
	return losses_each(losses, NULL, NULL) != 0;
}

/* A line for each kind of loss that there is. */
void losses_put(FILE *out, const struct losses *losses);
