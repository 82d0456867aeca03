/* SPDX-License-Identifier: MIT */
/* lines.c - collects the lines of a block of definitions in memory. */
#include "collector/lines.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/file.h"

void lines_put(struct drain *drain, struct trace_file *file, lines_writer *put, const void *context)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out) {
		trace_file_fail(file, ENOMEM, "cannot write definitions");
		return;
	}
	put(drain, out, context);
	if (fclose(out) == 0)
		trace_file_put_defs(file, text, bytes);
	else
		trace_file_fail(file, ENOMEM, "cannot write definitions");
	free(text);
}
