/* SPDX-License-Identifier: MIT */
/* clock_samples.c - samples both clocks, and keeps what a reader needs. */
#include "collector/definitions/clock_samples.h"

#include <stdlib.h>

#include "collector/trace/defs.h"
#include "collector/trace/grow.h"

#define SAMPLE_NS 10000000u /* from one sample to the next, at least */
#define JUMP_NS 100000u	    /* that of timeline.c, which reads what is kept here; .. */
#define JUMP_PARTS 1000u    /* .. and its JUMP_PPM: slower drift is no jump */
#define MANY 30u	    /* doublings: 34 years */

static void pair_keep(struct clock_samples *samples, struct clock_pair pair)
{
	if (samples->n && samples->kept[samples->n - 1].ns >= pair.ns)
		return;
	if (samples->n == CLOCK_SAMPLES_MOST ||
	    !grow(&samples->kept, samples->n, 1, sizeof(*samples->kept)))
		return; /* a trace with fewer is as good a trace */
	samples->kept[samples->n++] = pair;
}

/* Whether the clock went another way since the last sample than it did before. */
static bool jumped(const struct clock_samples *samples, struct clock_pair now)
{
	double ns = (double)(now.ns - samples->last.ns);
	double ticks = (double)(int64_t)(now.ticks - samples->last.ticks);

	if (ticks <= 0)
		return true;
	if (!samples->good.ns)
		return false;
	double off = ticks * (double)samples->good.ns / (double)samples->good.ticks - ns;

	off = off < 0 ? -off : off;
	return off > JUMP_NS && off > ns / JUMP_PARTS;
}

void clock_samples_add(struct clock_samples *samples, enum clock_source clock,
		       struct clock_pair begin, struct clock_pair now)
{
	uint32_t doubled = samples->n / CLOCK_SAMPLES_DOUBLES;
	uint64_t every_ns = (uint64_t)CLOCK_SAMPLES_EVERY_NS << (doubled < MANY ? doubled : MANY);

	if (clock == CLOCK_SOURCE_MONOTONIC)
		return;
	if (!samples->last.ns)
		samples->last = begin;
	if (now.ns < samples->last.ns + SAMPLE_NS)
		return;
	if (jumped(samples, now)) {
		samples->went_back |= (int64_t)(now.ticks - samples->last.ticks) <= 0;
		pair_keep(samples, samples->last);
		pair_keep(samples, now);
		/* one is a jump; where the next sample is off as well, the rate is another one */
		if (++samples->n_jumps > 1)
			samples->good = (struct clock_pair){ 0 };
	} else {
		samples->n_jumps = 0;
		samples->good.ticks += now.ticks - samples->last.ticks;
		samples->good.ns += now.ns - samples->last.ns;
		if (now.ns - (samples->n ? samples->kept[samples->n - 1].ns : begin.ns) >= every_ns)
			pair_keep(samples, now);
	}
	samples->last = now;
}

double clock_samples_rate(const struct clock_samples *samples, struct clock_pair begin,
			  struct clock_pair now)
{
	double ticks = (double)(int64_t)(now.ticks - begin.ticks), ns = (double)(now.ns - begin.ns);

	if (samples->good.ns)
		return (double)samples->good.ticks / (double)samples->good.ns;
	return ticks > 0 && ns > 0 ? ticks / ns : 1;
}

void clock_samples_put(struct clock_samples *samples, uint32_t shift, struct lines *out)
{
	for (; samples->n_put < samples->n; samples->n_put++) {
		struct clock_pair pair = samples->kept[samples->n_put];

		defs_put_sync(out, (struct defs_sync){ pair.ticks >> shift, pair.ns }, true);
	}
}

void clock_samples_free(struct clock_samples *samples)
{
	free(samples->kept);
	*samples = (struct clock_samples){ 0 };
}
