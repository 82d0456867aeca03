/* SPDX-License-Identifier: MIT */
/*
 * bins.h - what workers were in, and what was ready, as sums of ns in bins of equal length: the
 * finest level of detail of the page, from which levels.js adds up the coarser ones.
 *
 * By row and bin: time that strands of the leading kinds ran, and of all others; time in the
 * runtime, blocked, and held by the recorder (the rest is idle); and integrals of strands that were
 * ready and held by the row's worker.  By bin, of all: the four components as breakdown.h has them,
 * exactly; and integrals of ready strands by the edge that released them.
 *
 * A collapsed strand's work and what was ready in it are spread evenly over its length.
 */
#pragma once

#include "tools/view/columns.h"

#define BINS_USUAL 4096u      /* of a process of a job */
#define BINS_CELLS (1u << 21) /* by row, bin and class: so many at most */
#define BINS_LEADING 8u

/* The kinds with the most work, most first; KIND_NONE after the last. */
#define KIND_NONE UINT32_MAX
void bins_leading(const struct summary *summary, kind_id leading[BINS_LEADING]);

/* Writes them: drawn_bins() of all; of rows fewer if they are many.  */
void bins_put(FILE *out, const struct view_run *run);

/*
 * Of a process of a job: by row and bin, what its worker was in, in this order: running, message,
 * blocked (with device), in the runtime, held by the recorder.  The bins cover bins_states_ns():
 * the window, and the calls of MPI behind it.
 */
#define BINS_STATES 5u
uint64_t bins_states_ns(const struct view_run *run);
void bins_put_states(FILE *out, const struct view_run *run, uint32_t n_bins);
