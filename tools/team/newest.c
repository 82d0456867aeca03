/* SPDX-License-Identifier: MIT */
/* newest.c - looks for traces here, and for what ended programs left. */
#include "tools/team/newest.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "collector/outside/recover.h"
#include "tools/base/say.h"
#include "tools/base/xalloc.h"

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

void newest_say_left(void)
{
	const struct recover_left left = recover_left();
	char text[400];

	if (!left.n_here)
		return;
	say_left(text, sizeof(text), left.n_here, &left.example);
	say_warn("%s", text);
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

char *newest_trace(struct err *err)
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
		newest = xstrdup(found.gl_pathv[i]);
		when = st.st_mtim;
	}
	globfree(&found);
	if (!newest)
		find_none(err);
	return newest;
}
