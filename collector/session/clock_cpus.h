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

/* ---- for clock_offsets.c ---- */

#define CLOCK_CPUS 8192u

/* CPUs that a thread may use. */
struct clock_mask {
	unsigned long word[CLOCK_CPUS / 8 / sizeof(unsigned long)];
};

/* The calling thread's. */
bool clock_mask_get(struct clock_mask *mask);
void clock_mask_set(const struct clock_mask *mask);
bool clock_mask_has(const struct clock_mask *mask, uint32_t cpu);

/* The tightest of a few looks: an interrupt between the two clocks would skew the pair. */
struct clock_look {
	struct clock_pair pair;
	uint64_t width; /* ticks that reading the other clock took */
};

/* Moves the calling thread there.  False if it may not use that CPU, or it is offline. */
bool clock_look_on(uint32_t cpu, struct clock_look *out);

/* Ticks a ns from one look to a later one on the same CPU. */
double clock_look_rate(const struct clock_look *first, const struct clock_look *last);

/* How far a look is from the line through two others, in ticks; and by how much that may be wrong.
 */
double clock_look_off(const struct clock_look *first, const struct clock_look *last,
		      const struct clock_look *at, double *unsure);
