/* SPDX-License-Identifier: MIT */
/*
 * plain.h - which bytes of a name from outside may be written where a person or a terminal reads.
 *
 * Names in a trace are anybody's: a byte of theirs could move the cursor, change colours, or end a
 * line.  Control characters (C0, DEL, C1) are not plain, nor is what is no UTF-8.  Any thread.
 */
#pragma once

#include <stddef.h>

/* Bytes of the plain character that the string begins with (1 to 4); 0 if it begins with none. */
static inline size_t plain_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = at[0] >> 3 == 30 ? 4 : at[0] >> 4 == 14 ? 3 : at[0] >> 5 == 6 ? 2 : 1;

	if (n == 1)
		return at[0] >= ' ' && at[0] < 0x7f;
	for (size_t i = 1; i < n; i++)
		if (at[i] >> 6 != 2)
			return 0;
	unsigned first = (unsigned)at[0] << 8 | at[1];

	/* C1 and what is written in too many bytes; surrogates; behind the last character */
	if (first < 0xc2a0 || (n == 3 && (first < 0xe0a0 || (first >= 0xeda0 && at[0] == 0xed))) ||
	    (n == 4 && (first < 0xf090 || first >= 0xf490)))
		return 0;
	return n;
}

/* Bytes that one `?` stands for, where the string begins with no plain character. */
static inline size_t plain_bad_bytes(const char *text)
{
	return (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] >> 6 == 2 ? 2 : 1; /* C1 */
}

/* The same text in its place, with a `?` for all that is not plain. */
static inline void plain_make(char *text)
{
	char *to = text;

	while (*text) {
		size_t n = plain_bytes(text);

		if (!n) {
			text += plain_bad_bytes(text);
			*to++ = '?';
		}
		for (size_t i = 0; i < n; i++)
			*to++ = *text++;
	}
	*to = 0;
}
