/* SPDX-License-Identifier: MIT */
/* step.c - tries what divides the distance that two readings are most often apart. */
#include "collector/drain/step.h"

#include <stdlib.h>

#include "collector/trace/steps.h"

#define MOST_TICKS 1024u /* between two that are looked at: others were interrupted */
#define MOST_STEPS 6u	 /* between two: what is read slowly passes some */
#define FITS .95	 /* of them, at least, are whole steps apart, .. */
#define NEAR 1.25	 /* .. but for so many ticks: steps are cut to whole ticks */
#define LEAST_TICKS 10	 /* a step: of shorter ones, all is near */
#define PARTS 8		 /* of a tick: what steps are made of */
#define PART_NEAR 256	 /* a mean so near to such a part is meant to be it: 1/256 tick */

/* The commonest distance of at most MOST_TICKS; of 1 are some that a CPU makes up, so that no two
 * readings are the same. */
static uint32_t commonest(const uint64_t *ticks)
{
	uint32_t n_by_ticks[MOST_TICKS + 1] = { 0 }, best = 2;

	for (uint32_t i = 1; i < STEP_READINGS; i++)
		if (ticks[i] - ticks[i - 1] <= MOST_TICKS)
			n_by_ticks[ticks[i] - ticks[i - 1]]++;
	for (uint32_t t = best + 1; t <= MOST_TICKS; t++)
		if (n_by_ticks[t] > n_by_ticks[best])
			best = t;
	return best;
}

static double steps_between(uint64_t ticks, double step)
{
	return (double)(uint64_t)((double)ticks / step + .5);
}

/* Their mean length, of steps of about that length. */
static double mean_step(const uint64_t *ticks, double about)
{
	double sum = 0, n = 0, step;

	for (uint32_t i = 1; i < STEP_READINGS; i++) {
		uint64_t apart = ticks[i] - ticks[i - 1];

		if (apart > MOST_TICKS)
			continue;
		sum += (double)apart;
		n += steps_between(apart, about);
	}
	if (n == 0)
		return 0;
	step = sum / n;
	about = (double)(uint64_t)(step * PARTS + .5) / PARTS;
	return step - about < 1. / PART_NEAR && about - step < 1. / PART_NEAR ? about : step;
}

static bool fits(const uint64_t *ticks, double step)
{
	uint32_t n = 0, n_near = 0;

	for (uint32_t i = 1; i < STEP_READINGS; i++) {
		uint64_t apart = ticks[i] - ticks[i - 1];
		double off = (double)apart - steps_between(apart, step) * step;

		if (apart > MOST_TICKS)
			continue;
		n++;
		n_near += off <= NEAR && off >= -NEAR;
	}
	return n > STEP_READINGS / 2 && n_near >= FITS * n;
}

double step_among(const uint64_t ticks[STEP_READINGS])
{
	uint32_t most = commonest(ticks);

	for (uint32_t n = 1; n <= MOST_STEPS; n++) {
		double step = mean_step(ticks, (double)most / n);

		if (step < LEAST_TICKS)
			return 0;
		if (fits(ticks, step))
			return step;
	}
	return 0;
}

uint32_t step_of(const struct session *session, uint32_t shift)
{
	uint64_t *ticks = malloc(STEP_READINGS * sizeof(*ticks));
	double step = 0;

	/* drawn durations have no clock that moves in steps */
	if (ticks && !*session_said(session, session->process.virtual)) {
		for (uint32_t i = 0; i < STEP_READINGS; i++)
			ticks[i] = clock_ticks_by(&session->clock);
		step = step_among(ticks);
	}
	free(ticks);
	return step < (double)(STEP_LEAST << shift)
		       ? 0
		       : (uint32_t)(step * (double)(STEPS_UNIT >> shift));
}
