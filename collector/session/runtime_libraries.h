/* SPDX-License-Identifier: MIT */
/* runtime_libraries.h - the libraries of task runtimes, those that tptrace has no shim for among
 * them. */
#pragma once

#include <stdbool.h>

struct runtime_library {
	const char *file; /* how its file's name begins */
	const char *name; /* of the runtime */
	bool has_shim;
};

/* What a file of that name, without its folder, is; NULL if it is no runtime that is known.  Any
 * thread and handler. */
const struct runtime_library *runtime_library(const char *file);
