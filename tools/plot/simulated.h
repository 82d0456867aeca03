/* SPDX-License-Identifier: MIT */
/* simulated.h - what the speed-up picture shows of a simulation, or a prediction. */
#pragma once

#include <stdint.h>

/*
 * A run on so many workers: the median of several simulations, the least and the most; or what is
 * predicted, and its interval.
 */
struct plot_point {
	uint32_t workers;
	uint64_t elapsed_ns, low_ns, high_ns;
};
