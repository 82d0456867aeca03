/* SPDX-License-Identifier: MIT */
/* cmd.c - what the commands share. */
#include "tools/cmd/cmd.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/outside/recover.h"
#include "collector/trace/plain.h"
#include "collector/session/file_limit.h"

static char speaker[32]; /* "rank 3: ", or nothing */

int cmd_fail(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "tptrace: %s%s\n", speaker, err->text);
	return err->code == -ERR_NAME ? 2 : 1;
}

void cmd_speak_as(uint32_t rank)
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

void cmd_print(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(out, format, args);
	va_end(args);
}

void cmd_warn(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tptrace: %s", speaker);
	va_start(args, format);
	print(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int cmd_usage(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "tptrace %s: ", command);
	va_start(args, format);
	print(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (see `tptrace %s --help`)\n", command);
	return 2;
}

static void say_left(char *out, size_t room, uint32_t n, const struct recover_content *example)
{
	if (n == 1)
		snprintf(out, room,
			 "%s (pid %d) ended and left its events in " RING_FOLDER
			 "; `tptrace recover --all` makes the trace of them",
			 example->program, example->pid);
	else
		snprintf(out, room,
			 "%" PRIu32 " programs, %s (pid %d) among them, ended and left their "
			 "events in " RING_FOLDER "; `tptrace recover --all` makes their traces",
			 n, example->program, example->pid);
}

void cmd_tell_left(void)
{
	const struct recover_left left = recover_left();
	char text[400];

	if (!left.n_here)
		return;
	say_left(text, sizeof(text), left.n_here, &left.example);
	cmd_warn("%s", text);
}

static void find_none(struct err *err)
{
	const struct recover_left left = recover_left();
	char text[250] = "";

	if (left.n)
		say_left(text, sizeof(text), left.n, &left.example);
	err_set(err, ENOENT,
		"no trace (*.tpt) in the working directory; name one, or record one with "
		"`tptrace record -- COMMAND`%s%s",
		left.n ? "; " : "", text);
}

char *cmd_newest(struct err *err)
{
	glob_t found = { 0 };
	char *newest = NULL;
	struct timespec when = { 0 };
	struct stat st;

	if (glob("*.tpt", 0, NULL, &found) == 0)
		glob("*.tpt.[0-9]*", GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (stat(found.gl_pathv[i], &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (newest &&
		    (st.st_mtim.tv_sec < when.tv_sec ||
		     (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec <= when.tv_nsec)))
			continue;
		free(newest);
		newest = strdup(found.gl_pathv[i]);
		when = st.st_mtim;
	}
	globfree(&found);
	if (!newest)
		find_none(err);
	return newest;
}

int cmd_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "tptrace: cannot write the output: %s\n", strerror(errno));
	return 1;
}
