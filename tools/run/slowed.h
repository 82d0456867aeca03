/* SPDX-License-Identifier: MIT */
/*
 * slowed.h - which kinds of tasks `tptrace record --slow` slowed on purpose in a run
 * (preload/probes/kind_list.h).
 */
#pragma once

#include "tools/trace/defs_read.h"

#define SLOWED_MOST 8u /* kinds of a run */
#define SLOWED_NAME 512u
#define SLOWED_TEXT 1024u
#define SLOWED_COUNTER "slowed" /* ns by which each strand was lengthened */

struct slowed_kind {
	char name[SLOWED_NAME]; /* as it was typed */
	double factor;		/* as it was asked for */
};

/* Those of a trace: how many; 0 if it ran as it is. */
uint32_t slowed_kinds(const struct defs *defs, struct slowed_kind kind[SLOWED_MOST]);

/* "fib x1.2, main:12 x3"; "" if nothing was slowed. */
char *slowed_text(const struct defs *defs, char out[SLOWED_TEXT]);

/* The number of the counter; DEFS_COUNTERS_MAX if the trace has none. */
uint32_t slowed_counter(const struct defs *defs);
