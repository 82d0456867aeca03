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

#define PROGRAM_MAX 100 /* bytes of %e: a name of 255 would leave no room for the rest */

/* The first of these variables that is set; NULL. */
static const char *first_set(const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *value = getenv(name[i]);

		if (value && *value)
			return value;
	}
	return NULL;
}

/* An MPI library's own word comes before that of the batch system around it. */
const char *path_rank(void)
{
	static const char *const name[] = {
		"PMIX_RANK",	       "OMPI_COMM_WORLD_RANK", "PMI_RANK",	     "PMI_ID",
		"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "PALS_RANKID",
		"ALPS_APP_PE",	       "SLURM_PROCID"
	};

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

const char *path_ranks(void)
{
	static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					    "MV2_COMM_WORLD_SIZE",  "FLUX_JOB_SIZE",
					    "JSM_NAMESPACE_SIZE",   "SLURM_NTASKS",
					    "SLURM_NPROCS" };

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

const char *path_local_rank(void)
{
	static const char *const name[] = { "OMPI_COMM_WORLD_LOCAL_RANK",
					    "MPI_LOCALRANKID",
					    "MV2_COMM_WORLD_LOCAL_RANK",
					    "FLUX_TASK_LOCAL_ID",
					    "JSM_NAMESPACE_LOCAL_RANK",
					    "PALS_LOCAL_RANKID",
					    "SLURM_LOCALID" };

	return first_set(name, sizeof(name) / sizeof(name[0]));
}

/* Writes what a letter stands for; false if it stands for nothing. */
static int expand_letter(char letter, int pid, char *out, size_t room)
{
	time_t now = time(NULL);
	struct tm tm;

	switch (letter) {
	case 'e':
		return snprintf(out, room, "%.*s", PROGRAM_MAX, program_invocation_short_name);
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
			if (out[n + i] == '/' || (unsigned char)out[n + i] < ' ')
				out[n + i] = '_'; /* names and ranks may hold anything */
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

int path_create(struct trace_file *file, int pid)
{
	const char *wanted = getenv("TPTRACE_OUTPUT");
	const char *name = path_rank() ? "tptrace.%e.%h.%p.r%r.tpt" : "tptrace.%e.%p.tpt";
	char pattern[PATH_MAX], path[PATH_MAX], numbered[PATH_MAX + 16];
	int error;

	if (!wanted || !*wanted)
		snprintf(pattern, sizeof(pattern), "%s", name);
	else if (is_directory(wanted))
		snprintf(pattern, sizeof(pattern), "%s/%s", wanted, name);
	else
		snprintf(pattern, sizeof(pattern), "%s", wanted);
	error = expand(pattern, pid, path, sizeof(path));
	if (error) {
		*file = (struct trace_file){ .fd = -1 };
		file->error = err_set(&file->err, -error, "TPTRACE_OUTPUT=%s: %s", wanted,
				      error == -EINVAL ? "only %e %p %h %r %t %% are known"
						       : strerror(-error));
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
