/* SPDX-License-Identifier: MIT */
/* granularity.c - tries what divides the distance that two readings are most often apart. */
#include "collector/drain/granularity.h"

#include <stdlib.h>

#include "collector/trace/steps.h"

#define MOST_TICKS 1024u /* between two readings that count: others were interrupted */
#define MOST_GRAINS 6u	 /* between two: what is read slowly passes some */
#define FITS .95	 /* of them, at least, are whole grains apart, .. */
#define NEAR 1.25	 /* .. but for so many ticks: readings are cut to whole ticks */
#define LEAST_TICKS 10	 /* a grain: of shorter ones, all is near */
#define PARTS 8		 /* of a tick: what grains are made of */
#define PART_NEAR 256	 /* a mean so near to such a part is meant to be it: 1/256 tick */

/* The commonest distance of at most MOST_TICKS; of 1 are some that a CPU makes up, so that no two
 * readings are the same. */
static uint32_t commonest(const uint64_t *ticks)
{
	uint32_t n_by_ticks[MOST_TICKS + 1] = { 0 }, best = 2;

	for (uint32_t i = 1; i < GRANULARITY_READINGS; i++)
		if (ticks[i] - ticks[i - 1] <= MOST_TICKS)
			n_by_ticks[ticks[i] - ticks[i - 1]]++;
	for (uint32_t t = best + 1; t <= MOST_TICKS; t++)
		if (n_by_ticks[t] > n_by_ticks[best])
			best = t;
	return best;
}

static double grains_between(uint64_t ticks, double grain)
{
	return (double)(uint64_t)((double)ticks / grain + .5);
}

/* Their mean length, of grains of about that length. */
static double mean_grain(const uint64_t *ticks, double about)
{
	double sum = 0, n = 0, grain;

	for (uint32_t i = 1; i < GRANULARITY_READINGS; i++) {
		uint64_t apart = ticks[i] - ticks[i - 1];

		if (apart > MOST_TICKS)
			continue;
		sum += (double)apart;
		n += grains_between(apart, about);
	}
	if (n == 0)
		return 0;
	grain = sum / n;
	about = (double)(uint64_t)(grain * PARTS + .5) / PARTS;
	return grain - about < 1. / PART_NEAR && about - grain < 1. / PART_NEAR ? about : grain;
}

static bool grain_fits(const uint64_t *ticks, double grain)
{
	uint32_t n = 0, n_near = 0;

	for (uint32_t i = 1; i < GRANULARITY_READINGS; i++) {
		uint64_t apart = ticks[i] - ticks[i - 1];
		double off = (double)apart - grains_between(apart, grain) * grain;

		if (apart > MOST_TICKS)
			continue;
		n++;
		n_near += off <= NEAR && off >= -NEAR;
	}
	return n > GRANULARITY_READINGS / 2 && n_near >= FITS * n;
}

double granularity_among(const uint64_t ticks[GRANULARITY_READINGS])
{
	uint32_t most = commonest(ticks);

	for (uint32_t n = 1; n <= MOST_GRAINS; n++) {
		double grain = mean_grain(ticks, (double)most / n);

		if (grain < LEAST_TICKS)
			return 0;
		if (grain_fits(ticks, grain))
			return grain;
	}
	return 0;
}

uint32_t granularity_of(const struct session *session, uint32_t shift)
{
	uint64_t *ticks = malloc(GRANULARITY_READINGS * sizeof(*ticks));
	double grain = 0;

	/* drawn durations are no clock's */
	if (ticks && !*session_said(session, session->process.virtual)) {
		for (uint32_t i = 0; i < GRANULARITY_READINGS; i++)
			ticks[i] = clock_ticks_by(&session->clock);
		grain = granularity_among(ticks);
	}
	free(ticks);
	return grain < (double)(GRANULARITY_LEAST << shift)
		       ? 0
		       : (uint32_t)(grain * (double)(STEPS_UNIT >> shift));
}
