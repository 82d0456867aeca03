/* SPDX-License-Identifier: MIT */
/* written.c - prints into memory. */
#include "tools/base/written.h"

#include <stdlib.h>

char *written(void (*put)(FILE *out, const void *of), const void *of, size_t *bytes)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, bytes ? bytes : &n);

	if (!out)
		return NULL;
	put(out, of);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
