/* SPDX-License-Identifier: MIT */
/*
 * counts.h - what strands counted of each counter, as columns of the dag.
 *
 * A column is there from the first count of its counter on, and as long as the strands need.
 */
#pragma once

#include "tools/dag/state.h"

/* The event at hand, WIRE_COUNTER, is of the strand that runs on its worker.  0 or -errno. */
int count_note(struct state *state);

/* All are noted: gives each column an entry for each strand. */
void count_finish(struct state *state);
