/* SPDX-License-Identifier: MIT */
/* path.c - expands the pattern of the file name and makes the file. */
#include "collector/drain/path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/trace/stat.h"
#include "collector/session/layout.h"

#define SAME_NAMES_MAX 1000 /* NUMBERS_MOST of tools/launch/earlier.c, which finds the last one */

#define PROGRAM_MAX 100 /* bytes of %e: a name of 255 would leave no room for the rest */

/* In a collector outside: its user's wishes, not those of the program that it serves. */
static struct {
	const char *output, *folder; /* NULL: nothing was decided */
} decided;

int path_decide(const char *output)
{
	decided.output = strdup(output ? output : "");
	decided.folder = getcwd(NULL, 0); /* the folder may be gone */
	if (!decided.folder)
		decided.folder = "";
	return decided.output ? 0 : -ENOMEM;
}

static const char *output_of(const struct session *session)
{
	return decided.output ? decided.output : session_said(session, session->process.output);
}

/* Where what is not absolute begins. */
static const char *base_of(const struct session *session)
{
	return decided.folder ? decided.folder : session_said(session, session->process.folder);
}

/* Writes what a letter stands for; false if it stands for nothing. */
static int expand_letter(char letter, const struct session *session, char *out, size_t room)
{
	const struct process_info *info = &session->process;
	session_text text = info->rank;
	time_t now = time(NULL);
	struct tm tm;

	switch (letter) {
	case 'e':
		return snprintf(out, room, "%.*s", PROGRAM_MAX,
				session_said(session, info->program));
	case 'p':
		return snprintf(out, room, "%d", session->pid);
	case 'j':
		text = info->batch ?: info->launcher; /* fall through */
	case 'r':
		return snprintf(out, room, "%s", text ? session_said(session, text) : "0");
	case 'h':
		return snprintf(out, room, "%s", session_said(session, info->host));
	case 't':
		return (int)strftime(out, room, "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
	case '%':
		return snprintf(out, room, "%%");
	default:
		return -1;
	}
}

/* Names and ranks may contain anything, but must not lead to another directory.  Returns the new
 * length; there is room for one byte more. */
static size_t make_plain(char *text, size_t bytes)
{
	bool dots = bytes && strspn(text, ".") == bytes; /* as the name of a folder */

	for (size_t i = 0; i < bytes; i++)
		if (dots || text[i] == '/' || (unsigned char)text[i] < ' ')
			text[i] = '_';
	if (bytes == 0)
		text[bytes++] = '_';
	return bytes;
}

static int expand(const char *pattern, const struct session *session, char *out, size_t room)
{
	size_t n = 0;

	for (; *pattern; pattern++) {
		if (n + 2 >= room)
			return -ENAMETOOLONG;
		if (*pattern != '%' || !pattern[1]) {
			out[n++] = *pattern;
			continue;
		}
		int added = expand_letter(*++pattern, session, out + n, room - n);

		if (added < 0)
			return -EINVAL;
		if ((size_t)added >= room - n)
			return -ENAMETOOLONG;
		n += make_plain(out + n, (size_t)added);
	}
	out[n] = 0;
	return 0;
}

static int is_directory(const char *path)
{
	struct stat st;

	return path[strlen(path) - 1] == '/' || (stat_path(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* The prefix that makes a name relative to the process's directory; "" if it is ours, too. */
static const char *folder_of(const struct session *session)
{
	const char *folder = base_of(session);
	char *here = malloc(PATH_MAX);
	/* shown to the user: a relative name is shorter, where it means the same */
	bool is_ours =
		folder[0] != '/' || (here && getcwd(here, PATH_MAX) && strcmp(here, folder) == 0);

	free(here);
	return is_ours ? "" : folder;
}

/* Where the trace is, for who comes when the process and its collector are gone. */
static void note_trace(struct session *session, const struct trace_file *file, const char *path)
{
	const char *folder = base_of(session);

	session->trace_device = file->device;
	session->trace_inode = file->inode;
	if (path[0] == '/')
		folder = "";
	snprintf(session->trace, sizeof(session->trace), "%s%s%s", folder, folder[0] ? "/" : "",
		 path);
}

/* One try, by one name.  It is noted before the file can be seen, if that can be. */
static int create_as(struct trace_file *file, struct session *session, const char *path, bool begun)
{
	int error;

	if (begun) {
		note_trace(session, file, path);
		return trace_file_name(file, path);
	}
	error = trace_file_create(file, path);
	if (!error)
		note_trace(session, file, path);
	else if (error == -EEXIST)
		trace_file_close(file);
	return error;
}

/* By the first name that is free: without a number, or with one. */
static int create_free(struct trace_file *file, struct session *session, const char *path,
		       bool begun)
{
	size_t bytes = strlen(path) + 16;
	char *name = malloc(bytes);
	int error = -EEXIST;

	if (!name)
		return trace_file_fail(file, ENOMEM, "cannot create");
	for (int i = 0; error == -EEXIST && i < SAME_NAMES_MAX; i++) {
		snprintf(name, bytes, i ? "%s.%d" : "%s", path, i);
		error = create_as(file, session, name, begun);
	}
	free(name);
	return error == -EEXIST ? trace_file_fail(file, EEXIST, "cannot create") : error;
}

/* A device, a pipe: an end is taken back by cutting the file, which these cannot. */
static bool is_other(const char *path)
{
	struct stat st;

	return stat_path(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The name of a trace that is not whole yet, in place. */
static void hide(char *path, const char *part)
{
	char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	snprintf(name, (size_t)(path + PATH_MAX - name), ".%s", part);
}

static int create(struct trace_file *file, struct session *session, char *path, const char *part)
{
	if (is_other(path)) {
		*file = (struct trace_file){ .fd = -1, .path = strdup(path) };
		return trace_file_fail(file, EEXIST, "is not a regular file");
	}
	if (part) {
		hide(path, part);
		unlink(path);
		return trace_file_create(file, path);
	}
	if (trace_file_begin(file, path) == 0) {
		if (create_free(file, session, path, true) == 0)
			return 0;
		trace_file_close(file); /* no link possible: create it by name */
	}
	return create_free(file, session, path, false);
}

/* The separator between a directory and a name in it. */
static const char *separator(const char *folder)
{
	size_t n = strlen(folder);

	return n && folder[n - 1] != '/' ? "/" : "";
}

/* The name without numbers, expanded. */
static int name_in(char given[PATH_MAX], char expanded[PATH_MAX], char *path,
		   const struct session *session, struct err *err)
{
	const char *wanted = output_of(session);
	const char *name = !session->process.rank   ? "tptrace.%e.%p.tpt"
			   : session->process.batch ? "tptrace.%e.j%j.%h.%p.r%r.tpt"
						    : "tptrace.%e.%h.%p.r%r.tpt";
	const char *folder = wanted[0] == '/' ? "" : folder_of(session);
	int error;

	snprintf(given, PATH_MAX, "%s%s%s", folder, folder[0] ? "/" : "", wanted);
	if (*wanted && !is_directory(given))
		name = wanted;
	else if (*wanted)
		folder = given;
	error = expand(name, session, expanded, PATH_MAX);
	if (!error &&
	    snprintf(path, PATH_MAX, "%s%s%s", folder, separator(folder), expanded) >= PATH_MAX)
		error = -ENAMETOOLONG;
	if (error)
		return err_set(err, -error, "TPTRACE_OUTPUT=%s: %s", wanted,
			       error == -EINVAL ? "unknown format; valid are %e %p %h %j %r %t %%"
						: strerror(-error));
	return 0;
}

int path_name(char *path, const struct session *session, struct err *err)
{
	char *room = malloc(2 * PATH_MAX);
	int error = room ? name_in(room, room + PATH_MAX, path, session, err)
			 : err_set(err, ENOMEM, "out of memory");

	free(room);
	return error;
}

int path_snapshot(char *out, size_t room, const struct session *session, uint32_t n,
		  struct err *err)
{
	static const char suffix[] = ".tpt";
	char *path = malloc(PATH_MAX);
	int error = path ? path_name(path, session, err) : err_set(err, ENOMEM, "out of memory");
	size_t bytes = error ? 0 : strlen(path);

	if (bytes > strlen(suffix) && strcmp(path + bytes - strlen(suffix), suffix) == 0)
		bytes -= strlen(suffix);
	if (!error &&
	    snprintf(out, room, "%.*s.snapshot%u%s", (int)bytes, path, n, suffix) >= (int)room)
		error = err_set(err, ENAMETOOLONG, "%s: %s", path, strerror(ENAMETOOLONG));
	free(path);
	return error;
}

int path_create(struct trace_file *file, struct session *session, const char *part)
{
	char *path = malloc(PATH_MAX);
	struct err err;
	int error = path ? path_name(path, session, &err) : err_set(&err, ENOMEM, "out of memory");

	if (error)
		*file = (struct trace_file){ .fd = -1, .error = error, .err = err };
	else
		error = create(file, session, path, part);
	free(path);
	return error;
}

void path_finish(struct trace_file *file, struct session *session)
{
	char *path = malloc(PATH_MAX);
	struct err err;
	int error = path ? path_name(path, session, &err) : -ENOMEM;

	if (!error)
		error = create_free(file, session, path, true);
	free(path);
	if (error)
		trace_file_fail(file, -error, "cannot be given its name");
}

void path_replace(struct trace_file *file, struct session *session, struct trace_file *earlier)
{
	trace_file_replace(file, earlier);
	if (file->path)
		note_trace(session, file, file->path);
}
