/* SPDX-License-Identifier: MIT */
/*
 * xalloc.h - memory that is there: if the system has none left, the command ends, with one line.
 *
 * For analyses and what they print, from any thread.  An output that is not whole is removed then,
 * as it is by a signal.  Not for `record`, which outlives what it has no memory for, nor for a size
 * that a file claims and nobody has checked.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* As malloc() and the others, but never NULL; free() frees it. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t entry_bytes);
void *xrealloc(void *at, size_t bytes);
void *xreallocarray(void *at, size_t n, size_t entry_bytes);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t bytes);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is printed into it is a text, once it is closed. */
FILE *xopen_memstream(char **text, size_t *bytes);
void xclose_memstream(FILE *out);

/* For who asks the system by other calls. */
_Noreturn void out_of_memory(void);
/* The same end for another reason: no memory would help. */
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* There are more of them than an index may have. */
_Noreturn void too_many(const char *what);

/* From now on these lines begin with the path, which is borrowed; NULL: with none.  Returns what
 * they began with. */
const char *memory_for(const char *path);
