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
extern const char *const text_message[WIRE_MESSAGES];
extern const char *const text_field[WIRE_FIELDS];
extern const char *const text_collapsed[WIRE_COLLAPSED_FIELDS];
extern const char *const text_tally[WIRE_TALLY_BY_WORK + 1]; /* the last one for all buckets */

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
