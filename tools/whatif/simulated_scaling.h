/* SPDX-License-Identifier: MIT */
/* simulated_scaling.h - what other runs, on other numbers of workers, say of the work of a run. */
#pragma once

#include "collector/trace/err.h"
#include "tools/model/scaling.h"
#include "tools/run/run.h"

/*
 * Reads n more traces of the run's program.  Of several on one number of workers each kind's least
 * work counts, since what disturbs a run only adds to it.  *scaling is yours to scaling_free(),
 * whatever is returned.  0, or -errno and *err: one of another program, that is not whole, or that
 * has other tasks; or all are on one number of workers.
 */
int simulated_scaling(struct scaling *scaling, const struct run *run, char **path, int n,
		      struct err *err);
