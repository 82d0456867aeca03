/* SPDX-License-Identifier: MIT */
/* meta.h - what the page says besides the report's JSON: names of kinds, sites and waits, rows. */
#pragma once

#include "tools/view/columns.h"

/* {"elapsed":..,"rows":[..],..}: tools/view/README.md. */
void meta_put(FILE *out, const struct view_run *run);
