/* SPDX-License-Identifier: MIT */
/* shims.h - the libraries that `record` preloads, one a runtime. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SHIMS_FIRST "libtpshim_omp.so" /* always installed; the others may be packaged apart */
#define SHIMS_PTHREAD "TPTRACE_PTHREAD"
#define SHIMS_PTHREAD_OFF "off"

/* Why the process's limit on data leaves no room for them: the program is to run alone then.  NULL
 * if it does. */
const char *shims_why_not(void);

/*
 * Puts n libraries of that directory, by their names, in front of what LD_PRELOAD names.  A space
 * ends a name there: in a directory with one in its path they are found by LD_LIBRARY_PATH.  ASan
 * looks whether it is the first library, as it might take other calls for libc's; ours hand on all
 * that they take, so it is told not to.  For children, too, so that a script may run such programs.
 * False and errno if that fails.
 */
bool shims_put_in_front(const char *directory, const char *const *file, size_t n);

/* Puts those in the directory that the program's file may need in front, likewise, in the place of
 * any of ours that LD_PRELOAD has. */
bool shims_preload(const char *directory, const char *program);

/* Prints the paths of the n that are named ("omp", ..), of all if n is 0.  The exit status: 1, and
 * a message, if one is unknown; nothing is printed then. */
int shims_print(const char *directory, char **name, int n);
