/* SPDX-License-Identifier: MIT */
/*
 * xalloc.h - memory that is there: if the system has none left, the command ends, with one line.
 *
 * For analyses and what they print, from any thread.  An output that is not whole is removed then,
 * as it is by a signal.  Not for `record`, which outlives what it has no memory for, nor for a size
 * that a file claims and nobody has checked.
 *
 * What becomes of a local variable where its scope ends, by whatever way:
 *
 *	AT_END(run_close) struct run run = { 0 };
 *	FREED char *text = xstrdup(path);
 *
 * The last one that was declared ends first, so what borrows stands behind what it borrows from.  A
 * variable that may not be filled yet where the scope is left is declared empty.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_END(end) __attribute__((cleanup(end)))
#define FREED AT_END(freed)

/* `at` is where the variable is, a pointer to anything. */
static inline void freed(void *at)
{
	void *of;

	memcpy(&of, at, sizeof(of));
	free(of);
}

/* As malloc() and the others, but never NULL; free() frees it. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t entry_bytes);
void *xrealloc(void *at, size_t bytes);
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
