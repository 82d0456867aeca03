/* SPDX-License-Identifier: MIT */
/*
 * span.h - T1, T-infinity and what they bound.
 *
 * T1 is the work; T-infinity the longest path through the dag by the lengths of its strands;
 * no run on P workers is shorter than max(T1 / P, T-infinity) [Brent 1974; Graham 1969].
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/* By what of each strand is selected.  0 or -ENOMEM. */
int span_of(const struct dag *dag, const struct select *select, uint64_t *span_ns);
