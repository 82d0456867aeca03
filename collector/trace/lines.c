/* SPDX-License-Identifier: MIT */
/* lines.c - collects the lines of a block of definitions in memory. */
#include "collector/trace/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/defs_text.h"
#include "collector/trace/file.h"
#include "collector/trace/grow.h"

void lines_print(struct lines *lines, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !grow(&lines->text, lines->bytes, (size_t)n + 1, 1)) {
		lines->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf(lines->text + lines->bytes, (size_t)n + 1, format, args);
	va_end(args);
	lines->bytes += (size_t)n;
}

static void put_escaped(struct lines *lines, const char *text)
{
	if (!grow(&lines->text, lines->bytes, 3 * strlen(text) + 1, 1)) {
		lines->failed = true;
		return;
	}
	defs_escape(lines->text + lines->bytes, text);
	lines->bytes += strlen(lines->text + lines->bytes);
}

void lines_field(struct lines *lines, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	lines_print(lines, " %s=", key);
	put_escaped(lines, text);
}

void lines_word(struct lines *lines, const char *text)
{
	if (text) {
		lines_print(lines, " ");
		put_escaped(lines, text);
	}
	lines_print(lines, "\n");
}

void lines_meta(struct lines *lines, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	lines_print(lines, "meta %s", key);
	lines_word(lines, text);
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
