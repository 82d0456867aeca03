/* SPDX-License-Identifier: MIT */
/*
 * section.h - columns of numbers on their way into the page.
 *
 * A column is a row of varints (7 bits a byte, the low ones first), or bytes.  In the page it is
 * deflated [RFC 1950], which browsers read, and in base64, in a <script> of a type that no browser
 * runs.  codec.js reads it back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct section {
	uint8_t *at;
	uint64_t n, room;
	bool packed; /* deflated */
};

void section_byte(struct section *section, uint8_t byte);
void section_number(struct section *section, uint64_t number);
/* Small numbers of either sign take few bytes: 0, -1, 1, -2 .. become 0, 1, 2, 3 .. */
void section_signed(struct section *section, int64_t number);

/* Deflates n of them, which are full, on all threads. */
void sections_pack(struct section *section, uint32_t n);
/* Writes and frees it. */
void section_put(FILE *out, struct section *section, const char *name);
void section_free(struct section *section); /* a zeroed one is fine */

/* `<` as \u003c, so that no string of the JSON text ends the <script> that it stands in. */
void section_put_json(FILE *out, const char *text, size_t n);
