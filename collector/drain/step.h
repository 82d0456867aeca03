/* SPDX-License-Identifier: MIT */
/* step.h - how far the clock of a session moves at a time, as far as readings tell. */
#pragma once

#include "collector/session/layout.h"

#define STEP_READINGS 4096u

/* How far apart readings of a clock are, one behind the other: ticks a step, or 0 if none fits. */
double step_among(const uint64_t ticks[STEP_READINGS]);

/*
 * In 2^-STEPS_BITS units (collector/trace/steps.h) of ticks >> shift; 0 if it moves by less than
 * STEP_LEAST units or no step fits, or if times are not a clock's.  Takes some 100 us.
 */
#define STEP_LEAST 4u
uint32_t step_of(const struct session *session, uint32_t shift);
