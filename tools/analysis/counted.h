/* SPDX-License-Identifier: MIT */
/*
 * counted.h - what the strands of each kind counted, and the ratios that follow from it.
 *
 * Of a strand that is selected in part, its counts count in proportion to its time, rounded down.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/* By number of the counter; those that are not counted are 0. */
struct counts {
	uint64_t sum[WIRE_COUNTERS];
};

/* By kind of the dag, freed by the caller; NULL if the trace has no counters. */
void counted_build(struct counts **counts, const struct dag *dag, const struct select *select);
void counted_add(struct counts *to, const struct counts *counts);

/* What ratios need to know of counters: numbers of counters, COUNTED_NONE: there is none. */
#define COUNTED_NONE UINT32_MAX
struct counted_roles {
	uint32_t instructions, cycles;
};

/* By the names that PAPI has for them. */
struct counted_roles counted_roles_of(const char *const *name, uint32_t n);

/* Instructions a cycle; 0: not known. */
double counted_ipc(const struct counts *counts, struct counted_roles roles);
