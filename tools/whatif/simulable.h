/* SPDX-License-Identifier: MIT */
/* simulable.h - whether a run can be simulated, and under which policy it ran. */
#pragma once

#include "tools/model/policy.h"
#include "tools/run/run.h"

/* 0; or -ENODATA and *err, which says why not. */
int simulable(const struct run *run, struct err *err);

/* Whether no events of the run are missing, and recording was not stopped: `what`, like "a model",
 * needs the whole run.  0; or -ENODATA and *err, which says what is missing and what to do. */
int simulable_whole(const struct run *run, const char *what, struct err *err);

/* The name of the runtime that was given the most tasks; NULL. */
const char *simulable_runtime(const struct run *run);
