/* SPDX-License-Identifier: MIT */
/* diff_screen.h - a comparison for people: the verdict first, in at most 100 columns. */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"

struct diff_shown {
	enum list by;	 /* LIST_KINDS, LIST_PLACES or LIST_PATHS */
	uint32_t n_most; /* rows of it */
	bool bold;
};

void diff_screen(FILE *out, const struct comparison *comparison, const struct diff_shown *shown);
