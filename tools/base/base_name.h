/* SPDX-License-Identifier: MIT */
/* base_name.h - the name of a file. */
#pragma once

#include <string.h>

/* Without its directories; NULL of NULL. */
static inline const char *path_base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}
