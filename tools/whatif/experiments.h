/* SPDX-License-Identifier: MIT */
/*
 * experiments.h - plain runs of a program, and runs of it that `tptrace record --slow` slowed, a
 * kind or some kinds in each experiment (against.h).
 */
#pragma once

#include "collector/trace/err.h"
#include "tools/whatif/against.h"

#define EXPERIMENTS_MOST 8u

struct experiments {
	struct against_side plain;
	struct against_side slowed[EXPERIMENTS_MOST];
	uint32_t n;
};

/* Reads plain runs, and of each experiment the traces that slowed[i] names: "FILE,..". *experiments
 * is yours to free, whatever is returned.  0, or -errno and *err; err->text is empty if all is said
 * on stderr. */
int experiments_open(struct experiments *experiments, char **plain, int n_plain,
		     const char *const *slowed, uint32_t n, struct err *err);
void experiments_free(struct experiments *experiments); /* zeroed ones are fine */
