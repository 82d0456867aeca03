/* SPDX-License-Identifier: MIT */
/*
 * expected.h - the time in which workers run collapsed tasks: what is charged is what to expect.
 *
 * Each is a share of time that has passed up to an instant, rounded there (mixture.h); a step has
 * the difference of two of these.  So any parts of the run add up to it, to the ns, and work is
 * what the collapsed tasks had.
 */
#pragma once

#include "tools/analysis/blame.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/shares.h"
#include "tools/analysis/sweep.h"

/* Charges the sweep's step of time. */
void expected_charge(const struct sweep *sweep, struct breakdown *out, struct shares *shares,
		     struct blaming *blaming);
