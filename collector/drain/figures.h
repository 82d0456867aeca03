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

/*
 * What threads of the program record after the instant at which the trace ends: it is not in the
 * trace.  after_end_open() notes how far each worker is then, and after_end_count(), just before
 * the end is written, how many tasks began or were made since, at least.
 */
struct after_end {
	uint64_t ticks;
	uint64_t *head; /* of each worker; NULL: the trace does not end, or no memory */
	uint32_t n;
};
void after_end_open(struct drain *drain, uint64_t ticks);
void after_end_count(const struct drain *drain, struct definitions_end *end);
void after_end_free(struct after_end *after_end); /* a zeroed one is fine */

struct figures figures_of(struct drain *drain);

/* Events that workers dropped so far, those that were lost with a collector, and those for which
 * the file had no room. */
uint64_t figures_lost(struct drain *drain);

/* Counts of what the workers made, and of that which nobody took. */
void figures_made(struct drain *drain, struct definitions_end *end);

/* Why the trace could not grow, in words; NULL if it could, up to the size that it may have. */
const char *figures_unwritten(const struct drain *drain);
