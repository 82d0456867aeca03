/* SPDX-License-Identifier: MIT */
/*
 * part_tallies.h - which of the collapsed tasks are in a part of the run.
 *
 * The trace has collapsed tasks by kind, of the whole run, and how many there are below each strand
 * that stands for them.  So their number in a part is known, and their kinds are not.  A kind's
 * tasks lie below strands whose tasks create that kind, directly or not, as far as any task was
 * seen to: the part has the share of them that it has of what is below such strands.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/*
 * dag->kind_collapsed[] becomes that of the part.  *n_guessed: how many tasks of the part may be of
 * other kinds.
 */
void part_tallies(struct dag *dag, const struct select *select, uint64_t *n_guessed);

/* How much of the collapsed tasks is in the part; 1 where that is the whole run. */
double part_of_collapsed(const struct dag *dag, const struct select *select);

/* How many events were recorded in the part, with those of collapsed tasks: by its strands. */
uint64_t part_events(const struct dag *dag, const struct select *select);
