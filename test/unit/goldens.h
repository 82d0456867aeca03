/* SPDX-License-Identifier: MIT */
/* goldens.h - the golden traces of a folder, one after the other. */
#pragma once

#include <glob.h>

#include "test/unit/check.h"
#include "test/unit/trace.h"

#define GOLDENS "test/golden/report/*.txt"

/* Calls check_trace() for each; `name` is its path.  How many there are. */
static inline size_t goldens_each(const char *pattern,
				  void (*check_trace)(const char *text, size_t n))
{
	glob_t found;
	size_t n;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc > 20);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct bytes text = bytes_of_file(found.gl_pathv[i]);

		name = found.gl_pathv[i];
		check_trace(text.at, text.n);
		bytes_free(&text);
	}
	n = found.gl_pathc;
	globfree(&found);
	return n;
}
