/* SPDX-License-Identifier: MIT */
/* event_text.h - an event as a line of text, and the words that it is made of (FORMAT.md). */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "tools/trace/decode.h"

#define TEXT_FIRST_WORDS "tptrace text "
#define TEXT_VERSION "2"

/* The words by their numbers; NULL where there is none. */
extern const char *const text_kind[WIRE_KINDS];
extern const char *const text_wait[WIRE_WAITS];
extern const char *const text_depend[WIRE_DEPENDS];
extern const char *const text_loss[WIRE_LOSSES];
extern const char *const text_tally[WIRE_TALLY_BY_WORK + 1]; /* the last one for all buckets */

/* An operand that is the number of a word, and a number in the bits below. */
struct text_worded {
	const char *const *word; /* n */
	uint32_t n;
	unsigned shift;
	const char *lacking; /* what is said where no word is one of these */
};
const struct text_worded *text_worded(enum operand operand); /* NULL: it is something else */

struct text_flag {
	const char *word;
	uint32_t flag;
};

/* The flags of an operand that is a site; a word NULL ends them. */
const struct text_flag *text_flags(enum operand operand);

/* Writes one event as a line; time in the trace's units. */
void text_event(FILE *out, uint32_t worker, const struct event *event);

/* How a task or group is written, "0.1"; `out` has room for 32 bytes.  Returns out. */
char *text_id(char *out, uint64_t id);
