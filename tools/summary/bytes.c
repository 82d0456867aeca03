/* SPDX-License-Identifier: MIT */
/* bytes.c - writes values, and reads them while there are enough bytes. */
#include "tools/summary/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/spool.h"

#define NO_TEXT UINT32_MAX

void bytes_pass(struct bytes *bytes, void *part, size_t n)
{
	if (bytes->out) {
		fwrite(part, 1, n, bytes->out);
		return;
	}
	bytes->short_of |= bytes->n < n;
	if (bytes->short_of) {
		memset(part, 0, n);
		return;
	}
	memcpy(part, bytes->at, n);
	bytes->at += n;
	bytes->n -= n;
}

void bytes_pass_text(struct bytes *bytes, char **text)
{
	uint32_t n = bytes->out && *text ? (uint32_t)strlen(*text) : NO_TEXT;

	BYTES_PASS(bytes, n);
	if (!bytes->out)
		*text = NULL;
	if (bytes->short_of || n == NO_TEXT)
		return;
	if (!bytes->out && n <= bytes->n)
		*text = calloc(n + 1ull, 1);
	bytes->short_of |= !*text;
	if (*text)
		bytes_pass(bytes, *text, n);
}

void bytes_pass_n(struct bytes *bytes, uint32_t *n, size_t least)
{
	BYTES_PASS(bytes, *n);
	if (!bytes->out)
		bytes->short_of |= *n > bytes->n / least;
	if (bytes->short_of)
		*n = 0;
}

void bytes_pass_array(struct bytes *bytes, void *array, uint32_t *n, size_t entry_bytes)
{
	void **to = array;

	bytes_pass_n(bytes, n, entry_bytes);
	if (!bytes->out)
		*to = !*n	     ? NULL
		      : bytes->spool ? spool_array(bytes->spool, *n, entry_bytes)
				     : malloc(*n * entry_bytes);
	bytes->short_of |= *n && !*to;
	*n = *to ? *n : 0;
	if (*n)
		bytes_pass(bytes, *to, *n * entry_bytes);
}
