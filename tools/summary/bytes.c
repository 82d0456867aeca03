/* SPDX-License-Identifier: MIT */
/* bytes.c - writes values, and reads them while there are enough bytes. */
#include "tools/summary/bytes.h"

#include <stdlib.h>
#include <string.h>

#define NO_TEXT UINT32_MAX

void bytes_put(FILE *out, const void *value, size_t n)
{
	fwrite(value, 1, n, out);
}

void bytes_put_text(FILE *out, const char *text)
{
	uint32_t n = text ? (uint32_t)strlen(text) : NO_TEXT;

	bytes_put(out, &n, sizeof(n));
	if (text)
		bytes_put(out, text, n);
}

void bytes_get(struct bytes *bytes, void *out, size_t n)
{
	bytes->short_of |= bytes->n < n;
	if (bytes->short_of) {
		memset(out, 0, n);
		return;
	}
	memcpy(out, bytes->at, n);
	bytes->at += n;
	bytes->n -= n;
}

char *bytes_get_text(struct bytes *bytes)
{
	char *text;
	uint32_t n;

	bytes_get(bytes, &n, sizeof(n));
	if (bytes->short_of || n == NO_TEXT)
		return NULL;
	text = n <= bytes->n ? malloc(n + 1ull) : NULL;
	if (!text) {
		bytes->short_of = true;
		return NULL;
	}
	bytes_get(bytes, text, n);
	text[n] = 0;
	return text;
}

uint32_t bytes_get_n(struct bytes *bytes, size_t least)
{
	uint32_t n;

	bytes_get(bytes, &n, sizeof(n));
	bytes->short_of |= n > bytes->n / least;
	return bytes->short_of ? 0 : n;
}
