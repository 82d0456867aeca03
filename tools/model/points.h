/* SPDX-License-Identifier: MIT */
/*
 * points.h - a graph simulated on several numbers of workers, each several times by other seeds;
 * in parallel threads.
 */
#pragma once

#include "tools/model/simulate.h"

struct point {
	uint32_t n_workers;
	struct outcome outcome; /* of the run with the median elapsed time, the lower one of two */
	uint64_t low_ns, high_ns; /* least and most elapsed time of all runs */
};

struct points_wanted {
	const uint32_t *workers; /* n */
	uint32_t n, n_runs;	 /* of each */
	uint64_t seed;
	uint32_t n_threads; /* 0: as many as there are CPUs */
	/* Zeroed: gets that of the first number's middle run, to be freed; NULL. */
	struct schedule *schedule;
};

/* Fills point[n].  `simulation` says all but workers and seed.  0, or -errno and *err. */
int points_find(struct point *point, const struct points_wanted *wanted,
		const struct simulation *simulation, struct err *err);
