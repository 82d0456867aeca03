/* SPDX-License-Identifier: MIT */
/*
 * cures.h - what the run would be with the cure of a finding, as it was simulated: the story's
 * second timeline.
 *
 * By finding whose cure was simulated there is a column "cure-N": by worker, by class (the leading
 * kinds, and all others), by bin, how much of the bin such strands ran, in CURES_SHARES parts.
 * That is as much as a picture can show, and a byte each.
 */
#pragma once

#include "tools/summary/tried.h"
#include "tools/view/columns.h"

#define CURES_BINS 1024u
#define CURES_CELLS (1u << 19) /* by worker, class and bin: so many at most */
#define CURES_SHARES 127u

/* {"bins":N,"shares":N,"what_if":..,"findings":[{"what_if":..}, ..]}: numbers and what `report
 * --json --what-if` says. */
void cures_put(FILE *out, const struct view_run *run, const struct tried *tried);
/* Writes the columns. */
void cures_put_schedules(FILE *out, const struct view_run *run, const struct tried *tried);
