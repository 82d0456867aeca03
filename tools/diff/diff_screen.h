/* SPDX-License-Identifier: MIT */
/* diff_screen.h - a comparison for people: the verdict first, in lines no longer than the screen;
 * and for scripts (tptrace-diff(1)). */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"
#include "tools/diff/why.h"

void diff_screen(FILE *out, const struct comparison *comparison, const struct diff_shown *shown);

/* One line; without reports of the sides where they were not wanted. */
void diff_json(FILE *out, const struct comparison *comparison);

/* A line for each kind or place: its values in the first side and the last. */
void diff_csv(FILE *out, const struct comparison *comparison, enum list list);
