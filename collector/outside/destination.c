/* SPDX-License-Identifier: MIT */
/* destination.c - checks the directory that a trace would be made in. */
#include "collector/outside/destination.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/err.h"
#include "collector/drain/path.h"
#include "collector/session/layout.h"

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

bool destination_fits(const struct session *session)
{
	char path[PATH_MAX];
	struct err err;

	return path_name(path, session, &err) == 0 && is_fit(folder_of(path));
}

bool destination_is_here(const struct session *session)
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

void destination_here(struct session *session)
{
	session->process.folder = session->process.output = 0;
}
