/* SPDX-License-Identifier: MIT */
/* diff_line.h - how a comparison is to look, and its lines, no longer than the screen. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/diff/items.h"
#include "tools/diff/match.h"
#include "tools/table/json.h"

struct diff_shown {
	enum list by;	 /* LIST_KINDS, LIST_PLACES or LIST_PATHS */
	uint32_t n_most; /* rows of it */
	int width;	 /* no line is longer, if it can be helped */
	bool bold;
};

#define DIFF_REST_LEAST 8 /* columns that the rest of a line has, however narrow the screen is */

/* The rest of a line, from that column on, cut; and the newline. */
void diff_rest(FILE *out, const char *text, int column, int width);
/* The same of code, of which the name is cut first. */
void diff_item(FILE *out, const struct item *item, int column, int width);
/* Lines that are put, each wrapped between words; further lines begin in column 2. */
void diff_wrapped(FILE *out, void (*put)(FILE *out, const void *of), const void *of, int width);

/* Four decimals; null of 0: it is not defined. */
void diff_put_ratio(struct json *to, const char *key, double ratio);
