/* SPDX-License-Identifier: MIT */
/*
 * figures.h - what a drain counts over all its workers, for what a trace says of them.
 *
 * For the thread that drains.  Counts in shared memory become numbers of the trace, no more.
 */
#pragma once

#include <stdint.h>
#include "collector/definitions/definitions.h"

struct drain;

struct figures figures_of(struct drain *drain);

/* Events that workers dropped so far, those that were lost with a collector, and those for which
 * the file had no room. */
uint64_t figures_lost(struct drain *drain);

/* Counts of what the workers made, and of that which nobody took. */
void figures_made(struct drain *drain, struct definitions_end *end);

/* Why the trace could not grow, in words; NULL if it could, up to the size that it may have. */
const char *figures_unwritten(const struct drain *drain);
