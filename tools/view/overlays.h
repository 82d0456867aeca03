/* SPDX-License-Identifier: MIT */
/*
 * overlays.h - what lies over the timelines: the paths, which steals were leaps, and CPU times.
 */
#pragma once

#include "tools/view/columns.h"

/* Writes them.  0 or -ENOMEM. */
int overlays_put(FILE *out, const struct view_run *run);
