/* SPDX-License-Identifier: MIT */
/* speedup_curves.h - simulated and predicted points for the speed-ups of `report`, `view` and
 * `plot`. */
#pragma once

#include "tools/predict/predict.h"
#include "tools/summary/speedups.h"
#include "tools/run/run.h"

/* Simulates the run as `tptrace simulate -P` does.  0, or -errno and *err. */
int speedup_simulate(struct speedup_curve *curve, const struct run *run, const char *workers,
		     struct err *err);

/* What a model says of the size n.  0, or -errno and *err. */
int speedup_predict(struct speedup_curve *curve, const struct predict *predict, double n,
		    const char *workers, struct err *err);

struct speedups_wanted {
	const char *simulate;	  /* numbers of workers; NULL: no simulation */
	const char *predict_from; /* training runs, "FILE,.."; on those numbers, or those of the
				     bounds; NULL: no prediction */
};

static inline bool speedups_are_wanted(const struct speedups_wanted *wanted)
{
	return wanted->simulate || wanted->predict_from;
}

/* The run is one measured point; others are of training runs of its n.  0, or -errno and *err.
 * *curves is yours to free, whatever is returned. */
int speedups_make(struct speedups *curves, const struct run *run,
		  const struct speedups_wanted *wanted, struct err *err);
