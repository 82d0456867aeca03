/* SPDX-License-Identifier: MIT */
/* simulated.h - what the speed-up picture shows of a simulation. */
#pragma once

#include <stdint.h>

/* A run that was simulated on so many workers: the median of several, the least and the most. */
struct plot_point {
	uint32_t workers;
	uint64_t elapsed_ns, low_ns, high_ns;
};
