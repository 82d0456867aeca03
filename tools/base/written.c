/* SPDX-License-Identifier: MIT */
/* written.c - prints into memory. */
#include "tools/base/written.h"

#include "tools/base/xalloc.h"

char *written(void (*put)(FILE *out, const void *of), const void *of, size_t *bytes)
{
	char *text = NULL;
	size_t n;
	FILE *out = xopen_memstream(&text, bytes ? bytes : &n);

	put(out, of);
	xclose_memstream(out);
	return text;
}
