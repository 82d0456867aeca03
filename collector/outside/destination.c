/* SPDX-License-Identifier: MIT */
/* destination.c - looks at the folder that a trace would be made in. */
#include "collector/outside/destination.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/trace/err.h"
#include "collector/drain/path.h"
#include "preload/session/layout.h"

/* Whether a file of ours belongs there. */
static bool is_fit(const char *folder)
{
	struct stat st;

	return stat(folder, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0) && access(folder, W_OK | X_OK) == 0;
}

bool destination_fits(const struct session *session)
{
	char path[PATH_MAX];
	struct err err;
	char *end;

	if (path_name(path, session, &err) < 0)
		return false;
	end = strrchr(path, '/');
	if (end == path)
		end++;
	if (end)
		*end = 0;
	return is_fit(end ? path : ".");
}

void destination_here(struct session *session)
{
	session->facts.folder = session->facts.output = 0;
}
