/* SPDX-License-Identifier: MIT */
/* csv.h - the profile as CSV [RFC 4180]. */
#pragma once

#include "tools/report/profile.h"

/*
 * With `path`, a first column says which file it is of, and there are no columns for counters, which
 * may differ from file to file.  The first line, of names, if `header`.
 */
void csv_profile(FILE *out, const struct summary *summary, const struct profile *profile,
		 const char *path, bool header);
