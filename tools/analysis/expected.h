/* SPDX-License-Identifier: MIT */
/*
 * expected.h - the time in which workers run collapsed tasks: what is charged is what to expect.
 *
 * No-work and work are rounded as they come, and delay is the rest of elapsed x P (mixture.h); so
 * for each state.  In the end work is made what the collapsed tasks had in all, at the expense of
 * delay, and of the runtime's first.
 */
#pragma once

#include "tools/analysis/blame.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/shares.h"
#include "tools/analysis/sweep.h"

struct expected {
	uint64_t over_ns; /* so much more than there was time for was charged, by rounding */
	struct {
		double work, path_work, path_scheduler, path_busy;
		double sched[STATES], app[STATES], held;
	} rest; /* what rounding left of them */
};

/* Charges the sweep's step of time. */
void expected_charge(struct expected *expected, const struct sweep *sweep, struct breakdown *out,
		     struct shares *shares, struct blaming *blaming);

/* All strands that ended had that much work.  `select` as for the sweep. */
void expected_correct(const struct expected *expected, const struct dag *dag, uint64_t work_ns,
		      const struct select *select, struct breakdown *out);
