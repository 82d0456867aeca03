/* SPDX-License-Identifier: MIT */
/* diff_screen.h - a comparison for people: the verdict first, in lines no longer than the screen.
 */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"
#include "tools/diff/diff_line.h"

void diff_screen(FILE *out, const struct comparison *comparison, const struct diff_shown *shown);
