/* SPDX-License-Identifier: MIT */
/* say.c - prints lines, with what is not plain in them as `?`. */
#include "tools/base/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/trace/plain.h"
#include "collector/session/file_limit.h"
#include "tools/base/pager.h"

static char speaker[32]; /* "rank 3: ", or nothing */

static int say_to(int fd, const struct err *err)
{
	fflush(stdout);
	pager_show();
	dprintf(fd, "tptrace: %s%s\n", speaker, err->text);
	return err->code == -ERR_NAME ? 2 : 1;
}

int say_fail(const struct err *err)
{
	return say_to(STDERR_FILENO, err);
}

void say_as_rank(uint32_t rank)
{
	snprintf(speaker, sizeof(speaker), "rank %u: ", rank);
}

static int loud = STDERR_FILENO; /* say_stderr() */

void say_nothing(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	loud = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null < 0)
		return;
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

int say_stderr(void)
{
	return loud;
}

int say_alone(const struct err *err)
{
	return say_to(loud, err);
}

bool say_into(int out, int err)
{
	loud = STDERR_FILENO;
	return dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0;
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
