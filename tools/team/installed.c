/* SPDX-License-Identifier: MIT */
/* installed.c - looks beside this program. */
#include "tools/team/installed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool installed_directory(const char *file, char *out, size_t room)
{
	static const char *const tail[] = { "", "/../lib/tptrace" };
	char self[PATH_MAX], path[PATH_MAX + 64];
	const char *called = (const char *)getauxval(AT_EXECFN);
	char *slash;

	/* without /proc: as the kernel was told to run it */
	if (!realpath("/proc/self/exe", self) && (!called || !realpath(called, self)))
		return false;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", self, tail[i], file);
		if (access(path, R_OK) == 0) {
			snprintf(path, sizeof(path), "%s%s", self, tail[i]);
			return realpath(path, self) && snprintf(out, room, "%s", self) < (int)room;
		}
	}
	return false;
}
