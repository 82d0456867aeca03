/* SPDX-License-Identifier: MIT */
/* shims.h - the libraries that `record` preloads, one a runtime. */
#pragma once

#include <stdbool.h>

#define SHIMS_FIRST "libtpshim_omp.so" /* always installed; the others may be packaged apart */
#define SHIMS_PTHREAD "TPTRACE_PTHREAD"
#define SHIMS_PTHREAD_OFF "off"

/* Why the process's limit on data leaves no room for them; NULL if it does. */
const char *shims_why_not(void);

/* Puts those in the directory that the program's file may need in front of what LD_PRELOAD names.
 * False and errno if that fails. */
bool shims_preload(const char *directory, const char *program);

/* Prints the paths of the n that are named ("omp", ..), of all if n is 0.  The exit status: 1, and
 * a message, if one is unknown; nothing is printed then. */
int shims_print(const char *directory, char **name, int n);
