/* SPDX-License-Identifier: MIT */
/* folder.h - what a path names. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

/* Whether there is a folder of that name, or a link to one. */
static inline bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
