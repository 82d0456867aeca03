/* SPDX-License-Identifier: MIT */
/*
 * overlays.h - what lies over the timelines: paths, leaps, CPU times, and when the recorder held
 * workers.
 */
#pragma once

#include "tools/view/columns.h"

void overlays_put_marks(FILE *out, const struct view_run *run); /* of strands that the page has */
void overlays_put_rows(FILE *out, const struct view_run *run);	/* of rows, whatever it has */
