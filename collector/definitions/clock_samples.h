/* SPDX-License-Identifier: MIT */
/*
 * clock_samples.h - samples both clocks while a session is drained: the snapshots of its trace.
 *
 * One is kept a second; after every CLOCK_SAMPLES_DOUBLES of them, half as often as before, so that
 * a long run has few.  If the clock jumps between two samples, both are kept: the trace then says
 * when it was.  timeline.h says what a jump is.  Used by one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/lines.h"
#include "collector/session/clock.h"

#define CLOCK_SAMPLES_EVERY_NS 1000000000u
#define CLOCK_SAMPLES_DOUBLES 1000u
#define CLOCK_SAMPLES_MOST 65536u /* a clock that jumps all the time is known by then */

struct clock_samples {
	struct clock_pair last; /* sample */
	struct clock_pair good; /* what the clocks went since the rate changed, jumps apart */
	uint32_t n_jumps;	/* one after the other: two are another rate */
	struct clock_pair *kept;
	uint32_t n, n_put;
	bool went_back; /* the clock did, once */
};

/* Adds a sample of the clocks: now, after `begin`.  Nothing if both are one. */
void clock_samples_add(struct clock_samples *samples, enum clock_source clock,
		       struct clock_pair begin, struct clock_pair now);

/* Ticks a ns, as far as is known, without jumps of the clock. */
double clock_samples_rate(const struct clock_samples *samples, struct clock_pair begin,
			  struct clock_pair now);

/* Writes those from `n_put` on. */
void clock_samples_put(struct clock_samples *samples, uint32_t shift, struct lines *out);

void clock_samples_free(struct clock_samples *samples); /* a zeroed one is fine */
