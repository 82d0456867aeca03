/* SPDX-License-Identifier: MIT */
/* say.c - prints lines, with what is not plain in them as `?`. */
#include "tools/base/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/plain.h"
#include "collector/session/file_limit.h"
#include "tools/base/pager.h"

static char speaker[32]; /* "rank 3: ", or nothing */

int say_fail(const struct err *err)
{
	fflush(stdout);
	pager_show();
	fprintf(stderr, "tptrace: %s%s\n", speaker, err->text);
	return err->code == -ERR_NAME ? 2 : 1;
}

void say_as_rank(uint32_t rank)
{
	snprintf(speaker, sizeof(speaker), "rank %u: ", rank);
}

static void print(FILE *out, const char *format, va_list args)
{
	struct file_limit held;
	char *text;
	size_t n;

	if (vasprintf(&text, format, args) < 0)
		return;
	n = strlen(text);
	bool line = n && text[n - 1] == '\n';

	if (line)
		text[n - 1] = 0;
	plain_make(text);
	held = file_limit_hold(); /* standard error may be a file: record ends as its program */
	fputs(text, out);
	if (line)
		fputc('\n', out);
	file_limit_release(&held);
	free(text);
}

void say_print(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(out, format, args);
	va_end(args);
}

void say_warn(const char *format, ...)
{
	va_list args;

	pager_show();
	fprintf(stderr, "tptrace: %s", speaker);
	va_start(args, format);
	print(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int say_usage(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tptrace %s: ", command);
	va_start(args, format);
	print(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (see `tptrace %s --help`)\n", command);
	return 2;
}

int say_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "tptrace: cannot write the output: %s\n", strerror(errno));
	return 1;
}
