/* SPDX-License-Identifier: MIT */
/* simulable.h - whether a run can be simulated, and under which policy it ran. */
#pragma once

#include "tools/model/policy.h"
#include "tools/run/run.h"

/* 0; or -ENODATA and *err, which says why not. */
int simulable(const struct run *run, struct err *err);

/* The name of the runtime that was given the most tasks; NULL. */
const char *simulable_runtime(const struct run *run);
