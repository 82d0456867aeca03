/* SPDX-License-Identifier: MIT */
/* ring_trace.c - finds the trace that a ring file belongs to, or the directory for one. */
#include "collector/outside/ring_trace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/drain/path.h"
#include "collector/outside/ringfile.h"
#include "collector/trace/file.h"
#include "collector/trace/lines.h"
#include "collector/session/layout.h"

/* ---- where one is made ---- */

/* Whether a file of ours belongs there. */
static bool is_fit(const char *folder)
{
	struct stat st;

	/* not one of a third user, who could put a link in our way */
	return stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0) && access(folder, W_OK | X_OK) == 0;
}

/* The folder of a path, in place; "." if it names none. */
static const char *folder_of(char *path)
{
	char *end = strrchr(path, '/');

	if (!end)
		return ".";
	end[end == path] = 0;
	return path;
}

bool ring_trace_fits(const struct session *session)
{
	char path[PATH_MAX];
	struct err err;

	return path_name(path, session, &err) == 0 && is_fit(folder_of(path));
}

bool ring_trace_is_here(const struct session *session)
{
	char path[PATH_MAX];
	struct stat there, here;
	struct err err = { 0 };

	if (session->trace[0])
		snprintf(path, sizeof(path), "%s", session->trace);
	else
		path_name(path, session, &err);
	return !err.code && stat(folder_of(path), &there) == 0 && stat(".", &here) == 0 &&
	       there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

void ring_trace_here(struct session *session)
{
	session->process.folder = session->process.output = 0;
}

/* ---- which one there is ---- */

/* Whether the trace has its end; *last, if asked for, is what its last line says that begins so. */
static bool is_ended(const char *trace, const char *start, char **last)
{
	struct trace_file file;
	bool ended = trace_file_look(&file, trace) == 0 && file.finished;

	if (last) {
		*last = NULL;
		lines_find(&file, start, last);
	}
	trace_file_close(&file);
	return ended;
}

/* All that the ring file is of has been written, and it was left behind all the same. */
static int all_is_there(const char *trace, const struct ring *ring, struct err *err)
{
	return err_set(err, EALREADY, "%s: is whole: nothing to recover; %s can be removed", trace,
		       ring->path);
}

/* Whether it was the process itself that ended the trace: then it recorded nothing behind that. */
static bool is_done(const char *trace)
{
	char *how;
	bool done = is_ended(trace, "meta ended ", &how) && how && strcmp(how, "recovered") != 0;

	free(how);
	return done;
}

/* Whether that is the trace that was being written; and whether it has the name that it was given.
 */
static bool is_trace_of(const struct session *session, const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_ino == session->trace_inode &&
	       st.st_dev == session->trace_device;
}

static bool is_in_place(const struct session *session)
{
	return session->trace[0] && is_trace_of(session, session->trace);
}

/* The trace that was being written: NULL if the process died before it had its name. */
static const char *trace_of(const struct ring *ring)
{
	const struct session *session = ring->session;

	if (is_in_place(session))
		return session->trace;
	return session->trace[0] && ring_has_blocks(ring) ? session->trace : NULL;
}

/* Whether nothing by that name can go on: it is gone, or another trace, which has its end. */
static bool is_gone(const struct session *session, const char *trace)
{
	struct stat st;

	if (lstat(trace, &st) < 0)
		return errno == ENOENT;
	return trace == session->trace && !is_in_place(session) && is_ended(trace, NULL, NULL);
}

/* The trace that was made of the ring file before, by one of the names that it can have there. */
static bool find_made(const struct ring *ring, char trace[PATH_MAX + 16])
{
	char path[PATH_MAX], *from;
	struct err err;

	if (path_name(path, ring->session, &err) < 0)
		return false;
	snprintf(trace, PATH_MAX + 16, "%s", path);
	for (int i = 1; access(trace, F_OK) == 0; i++) {
		bool ended = is_ended(trace, "meta ring ", &from);
		bool made = ended && from && strcmp(from, ring->path) == 0;

		free(from);
		if (made)
			return true;
		snprintf(trace, PATH_MAX + 16, "%s.%d", path, i);
	}
	return false;
}

/* A ring file that stayed is not made into another trace each time.  0 or -EALREADY and *err. */
static int check_made(struct ring *ring, struct err *err)
{
	const struct process_info info = ring->session->process;
	char trace[PATH_MAX + 16];
	bool made = find_made(ring, trace);

	if (!made) {
		ring_trace_here(ring->session);
		made = find_made(ring, trace);
		ring->session->process = info;
	}
	return made ? all_is_there(trace, ring, err) : 0;
}

/* With the flight recorder all blocks are in the log. */
int ring_trace(struct ring *ring, const char **trace, struct err *err)
{
	struct session *session = ring->session;

	if (!*trace)
		*trace = trace_of(ring);
	if (*trace && is_gone(session, *trace)) {
		if (!session->options.keep_last)
			return err_set(err, ENOENT,
				       "%s: is gone; if it was moved, `tptrace recover` it by its "
				       "new name; else remove %s",
				       *trace, ring->path);
		*trace = NULL;
	}
	if (*trace && is_ended(*trace, NULL, NULL)) {
		ring->is_done = is_done(*trace);
		return all_is_there(*trace, ring, err);
	}
	if (session->options.keep_last || !session->trace[0])
		*trace = NULL; /* what there is of one was written at its end, and is here, too */
	ring->is_apart = session->options.keep_last && ring_has_blocks(ring);
	return *trace ? 0 : check_made(ring, err);
}
