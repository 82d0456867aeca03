/* SPDX-License-Identifier: MIT */
/* why.h - what changed between two sides and mainly why, as sentences; how they are to look. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "tools/diff/compare.h"
#include "tools/diff/items.h"
#include "tools/diff/match.h"
#include "tools/table/json.h"

#define WHY_NAME 4 /* room for a side's letter */

/* "A", "B", .. ; "S27" beyond the letters.  Returns out. */
char *why_letter(char out[WHY_NAME], uint32_t side);
#define LETTER(side) why_letter((char[WHY_NAME]){ 0 }, side)

/* "relax heat.c:40".  Returns out. */
#define WHY_ITEM 200
char *why_item(char out[WHY_ITEM], const struct item *item);
#define ITEM_TEXT(item) why_item((char[WHY_ITEM]){ 0 }, item)

/* Of a struct comparison (written.h wants a pointer to anything): the last side against the first,
 * which is faster, and the causes; one line without its end. */
void why_put(FILE *out, const void *comparison);

/* Sentences on what to know of it: noise, different runtimes; each a line. */
void why_put_notes(FILE *out, const void *comparison);

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
