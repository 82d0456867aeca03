/* SPDX-License-Identifier: MIT */
/* meta.h - what the page says besides the report's JSON: names of kinds, sites and waits, rows. */
#pragma once

#include "tools/view/columns.h"

struct view_wanted;

/* {"elapsed":..,"rows":[..],..}: tools/view/README.md.  0 or -ENOMEM. */
int meta_put(FILE *out, const struct view_run *run, const struct view_wanted *wanted);
