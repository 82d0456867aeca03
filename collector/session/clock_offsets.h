/* SPDX-License-Identifier: MIT */
/*
 * clock_offsets.h - by how much the processor's counter differs from CPU to CPU.
 *
 * It is measured as in clock_cpus.h, several times within a few ms.  Offsets that move, or that are
 * not known well enough, are not used: then the kernel's clock is.  While the program runs and all
 * CPUs are busy the collector looks again: a CPU whose offset has moved is not known from then on
 * (clock.h), and the trace says by how much it had.
 */
#pragma once

#include "collector/session/clock.h"

#define CLOCK_OFFSET_UNSURE_NS 500u /* an offset that may be wrong by more is not used */

/*
 * Fills the clock's table for all CPUs that the calling thread may use, and begins its line; leaves
 * the thread on one of them.  False, and no CPU is known, if that takes too long or makes no sense.
 * Some 5 ms, and 30 us for each CPU.  `room` is CLOCK_OFFSETS_BYTES of zeroed memory, aligned as
 * malloc() does.  Keeps errno.
 */
#define CLOCK_OFFSETS_BYTES ((1u + CLOCK_TABLE) * 64u)
bool clock_offsets_measure(struct clock *clock, void *room);

/* Looks at some CPUs again, the next ones each time (*next).  Keeps the thread's mask and errno. */
void clock_offsets_check(struct clock *clock, uint32_t *next);
