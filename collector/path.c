/* SPDX-License-Identifier: MIT */
/* path.c - expands the pattern of the file name and makes the file. */
#include "collector/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SAME_NAMES_MAX 1000

const char *path_rank(void)
{
	static const char *const name[] = { "PMIX_RANK",    "OMPI_COMM_WORLD_RANK",
					    "PMI_RANK",	    "PMI_ID",
					    "SLURM_PROCID", "MV2_COMM_WORLD_RANK",
					    "ALPS_APP_PE" };

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *rank = getenv(name[i]);

		if (rank && *rank)
			return rank;
	}
	return NULL;
}

/* Writes what a letter stands for; false if it stands for nothing. */
static int expand_letter(char letter, int pid, char *out, size_t room)
{
	time_t now = time(NULL);
	struct tm tm;

	switch (letter) {
	case 'e':
		return snprintf(out, room, "%s", program_invocation_short_name);
	case 'p':
		return snprintf(out, room, "%d", pid);
	case 'r':
		return snprintf(out, room, "%s", path_rank() ? path_rank() : "0");
	case 'h':
		return gethostname(out, room) < 0 ? -1 : (int)strnlen(out, room - 1);
	case 't':
		return (int)strftime(out, room, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	case '%':
		return snprintf(out, room, "%%");
	default:
		return -1;
	}
}

static int expand(const char *pattern, int pid, char *out, size_t room)
{
	size_t n = 0;

	for (; *pattern; pattern++) {
		if (n + 2 >= room)
			return -ENAMETOOLONG;
		if (*pattern != '%' || !pattern[1]) {
			out[n++] = *pattern;
			continue;
		}
		int added = expand_letter(*++pattern, pid, out + n, room - n);

		if (added < 0)
			return -EINVAL;
		if ((size_t)added >= room - n)
			return -ENAMETOOLONG;
		for (int i = 0; i < added; i++)
			if (out[n + i] == '/') /* a program's name may hold one */
				out[n + i] = '_';
		n += (size_t)added;
	}
	out[n] = 0;
	return 0;
}

static int is_directory(const char *path)
{
	struct stat st;

	return path[strlen(path) - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* The name without numbers, expanded. */
static int path_of(char path[PATH_MAX], int pid, struct err *err)
{
	const char *wanted = getenv("TPTRACE_OUTPUT");
	const char *name = path_rank() ? "tptrace.%e.%p.r%r.tpt" : "tptrace.%e.%p.tpt";
	char pattern[PATH_MAX];
	int error;

	if (!wanted || !*wanted)
		snprintf(pattern, sizeof(pattern), "%s", name);
	else if (is_directory(wanted))
		snprintf(pattern, sizeof(pattern), "%s/%s", wanted, name);
	else
		snprintf(pattern, sizeof(pattern), "%s", wanted);
	error = expand(pattern, pid, path, PATH_MAX);
	if (error)
		return err_set(err, -error, "TPTRACE_OUTPUT=%s: %s", wanted,
			       error == -EINVAL ? "only %e %p %h %r %t %% are known"
						: strerror(-error));
	return 0;
}

int path_snapshot(char *out, size_t room, int pid, uint32_t n, struct err *err)
{
	static const char suffix[] = ".tpt";
	char path[PATH_MAX];
	int error = path_of(path, pid, err);
	size_t bytes = error ? 0 : strlen(path);

	if (error)
		return error;
	if (bytes > strlen(suffix) && strcmp(path + bytes - strlen(suffix), suffix) == 0)
		bytes -= strlen(suffix);
	if (snprintf(out, room, "%.*s.snapshot%u%s", (int)bytes, path, n, suffix) >= (int)room)
		return err_set(err, ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	return 0;
}

int path_create(struct trace_file *file, int pid)
{
	char path[PATH_MAX], numbered[PATH_MAX + 16];
	struct err err;
	int error = path_of(path, pid, &err);

	if (error) {
		*file = (struct trace_file){ .fd = -1, .error = error, .err = err };
		return error;
	}
	error = trace_file_create(file, path);
	for (int i = 1; error == -EEXIST && i < SAME_NAMES_MAX; i++) {
		trace_file_close(file);
		snprintf(numbered, sizeof(numbered), "%s.%d", path, i);
		error = trace_file_create(file, numbered);
	}
	return error;
}
