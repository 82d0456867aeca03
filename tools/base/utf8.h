/* SPDX-License-Identifier: MIT */
/* utf8.h - where the characters of a text end. */
#pragma once

#include <string.h>

/* Bytes of the text, at most so many, to where a character ends. */
static inline size_t utf8_part(const char *text, size_t most)
{
	size_t n = strnlen(text, most);

	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return n;
}
