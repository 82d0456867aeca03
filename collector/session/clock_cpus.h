/* SPDX-License-Identifier: MIT */
/*
 * clock_cpus.h - whether the processor's counter is the same on all CPUs, measured.
 *
 * Each CPU's counter is compared with CLOCK_MONOTONIC, which is one for all.  What is measured is
 * no better than a call of clock_gettime() is short.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/clock.h"

#define CLOCK_CPUS_MOST 16u /* that are visited, spread evenly over those that there are */
#define CLOCK_OFF_MOST_NS 20u

struct clock_cpus {
	uint32_t n;	    /* visited; 0: none could be */
	uint64_t off_ns;    /* the largest difference from the first */
	uint64_t unsure_ns; /* by how much that may be wrong */
};

/*
 * Moves the calling thread from CPU to CPU of those that it may use, and leaves it on one: some
 * 10 us for each.  Keeps errno.
 */
struct clock_cpus clock_cpus_measure(void);

/* Whether they are close enough for time stamps of different CPUs to be compared. */
bool clock_cpus_agree(const struct clock_cpus *cpus);
