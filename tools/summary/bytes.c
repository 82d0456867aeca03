/* SPDX-License-Identifier: MIT */
/* bytes.c - writes values, and reads them. */
#include "tools/summary/bytes.h"

#include <string.h>

#include "tools/base/spool.h"
#include "tools/base/xalloc.h"

#define NO_TEXT UINT32_MAX

void bytes_wrong(void)
{
	give_up("what another process of tptrace handed over is not whole");
}

void bytes_pass(struct bytes *bytes, void *part, size_t n)
{
	if (bytes->out) {
		fwrite(part, 1, n, bytes->out);
		return;
	}
	if (bytes->n < n)
		bytes_wrong();
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
	if (n == NO_TEXT)
		return;
	if (!bytes->out && n > bytes->n)
		bytes_wrong();
	if (!bytes->out)
		*text = xcalloc(n + 1ull, 1);
	bytes_pass(bytes, *text, n);
}

void bytes_pass_n(struct bytes *bytes, uint32_t *n, size_t least)
{
	BYTES_PASS(bytes, *n);
	if (!bytes->out && *n > bytes->n / least)
		bytes_wrong();
}

void bytes_pass_array(struct bytes *bytes, void *array, uint32_t *n, size_t entry_bytes)
{
	void **to = array;

	bytes_pass_n(bytes, n, entry_bytes);
	if (!bytes->out)
		*to = !*n	     ? NULL
		      : bytes->spool ? spool_array(bytes->spool, *n, entry_bytes)
				     : xmalloc(*n * entry_bytes);
	if (*n)
		bytes_pass(bytes, *to, *n * entry_bytes);
}
