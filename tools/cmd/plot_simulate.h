/* SPDX-License-Identifier: MIT */
/* plot_simulate.h - simulated points of the speed-up picture. */
#pragma once

#include "tools/plot/simulated.h"
#include "tools/run/run.h"

/*
 * Simulates the run as `tptrace simulate -P` does.  *points gets n of them, in order, in place of
 * what it holds; free() is for them.  0, or -errno and *err.
 */
int plot_simulate(struct plot_point **points, uint32_t *n, const struct run *run,
		  const char *workers, struct err *err);
