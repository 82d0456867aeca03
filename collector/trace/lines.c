/* SPDX-License-Identifier: MIT */
/* lines.c - collects the lines of a block of definitions in memory. */
#include "collector/trace/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/trace/file.h"

static bool lines_room(struct lines *lines, size_t bytes)
{
	if (lines->room - lines->bytes >= bytes)
		return true;
	/* doubled: thousands of sites come line by line */
	size_t room = lines->room * 2 + bytes;
	char *text = realloc(lines->text, room);

	if (!text)
		return false;
	lines->text = text;
	lines->room = room;
	return true;
}

void lines_print(struct lines *lines, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !lines_room(lines, (size_t)n + 1)) {
		lines->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf(lines->text + lines->bytes, (size_t)n + 1, format, args);
	va_end(args);
	lines->bytes += (size_t)n;
}

void lines_pour(struct lines *lines, FILE *out)
{
	if (lines->bytes)
		fwrite(lines->text, 1, lines->bytes, out);
	free(lines->text);
	*lines = (struct lines){ 0 };
}

void lines_put(struct lines *lines, struct trace_file *file)
{
	if (lines->failed)
		trace_file_fail(file, ENOMEM, "cannot write definitions");
	else
		trace_file_put_defs(file, lines->text, lines->bytes);
	free(lines->text);
	*lines = (struct lines){ 0 };
}
