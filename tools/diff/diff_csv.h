/* SPDX-License-Identifier: MIT */
/* diff_csv.h - a comparison as CSV [RFC 4180]. */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"

/* A line for each kind or place: its values in the first side and the last. */
void diff_csv(FILE *out, const struct comparison *comparison, enum list list);
