/* SPDX-License-Identifier: MIT */
/* granularity.h - by how many ticks the clock of a session moves at a time, found by reading it. */
#pragma once

#include "collector/session/layout.h"

#define GRANULARITY_READINGS 4096u

/* The granularity of a clock from readings, one after the other: ticks, or 0 if none fits. */
double granularity_among(const uint64_t ticks[GRANULARITY_READINGS]);

/*
 * In 2^-STEPS_BITS units (collector/trace/steps.h) of ticks >> shift; 0 if it is less than
 * GRANULARITY_LEAST units or none fits, or if times are not a clock's.  Takes some 100 us.
 */
#define GRANULARITY_LEAST 4u
uint32_t granularity_of(const struct session *session, uint32_t shift);
