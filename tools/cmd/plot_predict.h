/* SPDX-License-Identifier: MIT */
/* plot_predict.h - predicted points of the speed-up picture. */
#pragma once

#include "collector/trace/err.h"
#include "tools/plot/plot.h"

/*
 * Makes a model of all traces, as `tptrace predict` does, and predicts their largest n on these
 * numbers of workers.  Traces of a smaller n are taken out of `traces`.  0, or -errno and *err.
 */
int plot_predict(struct plot_traces *traces, char **path, int n, const char *workers,
		 struct err *err);
