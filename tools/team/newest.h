/* SPDX-License-Identifier: MIT */
/* newest.h - the trace of a command that was given none. */
#pragma once

#include "collector/trace/err.h"

/* The newest *.tpt in this directory, malloc'ed; NULL and *err if there is none: then that names
 * what to do about ring files of ended programs, if there are any. */
char *newest_trace(struct err *err);

/* A line on stderr if programs whose traces belong in this directory ended and left ring files. */
void newest_say_left(void);
