/* SPDX-License-Identifier: MIT */
/* defs_text.h - the words of a line of definitions: cut off, and read. */
#pragma once

#include <stdint.h>

/* Takes the %XX back, in place. */
void defs_unescape(char *text);
/* The next word of *at, cut off in place; NULL if there is none.  A `#` ends the line. */
char *defs_word(char **at);
/* Reads the whole word as a number, decimal or 0x; 0 or -EPROTO. */
int defs_number(const char *word, uint64_t *value);
