/* SPDX-License-Identifier: MIT */
/* why.h - what changed between two sides and mainly why, as sentences. */
#pragma once

#include <stdio.h>
#include "tools/diff/compare.h"

#define WHY_NAME 4 /* room for a side's letter */

/* "A", "B", .. ; "S27" beyond the letters.  Returns out. */
char *why_letter(char out[WHY_NAME], uint32_t side);

/* "relax heat.c:40".  Returns out. */
#define WHY_ITEM 200
char *why_item(char out[WHY_ITEM], const struct item *item);

/* "0.90 core-seconds".  Returns out. */
#define WHY_CORE 32
char *why_core(char out[WHY_CORE], uint64_t ns);

/* Of a struct comparison (written.h wants a pointer to anything): the last side against the first,
 * which is faster, and the causes; one line without its end. */
void why_put(FILE *out, const void *comparison);

/* Sentences on what to know of it: noise, different runtimes; each a line. */
void why_put_notes(FILE *out, const void *comparison);
