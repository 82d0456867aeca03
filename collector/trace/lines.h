/* SPDX-License-Identifier: MIT */
/*
 * lines.h - the lines of a block of definitions, until it is written; and those of a file.
 *
 * Not a FILE: that would allocate with the traced program's malloc() (preload/inside/heap.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_file;

struct lines {
	char *text;
	size_t bytes, room; /* a recording's end takes less than LINES_LEAST */
	bool failed;	    /* without memory for a line, which is left out, .. */
	bool skips;	    /* .. and so are its other pieces, until it ends */
};

#define LINES_LEAST 4096u

/* Makes room for LINES_LEAST, which from then on can be written whatever happens to memory.  False
 * if there is none.  `text` is the owner's to free(). */
bool lines_reserve(struct lines *lines);

/* As fprintf().  Only integers, strings and characters: libc allocates for others. */
void lines_print(struct lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes text with the bytes that would end a word as %XX; room for 3 bytes a byte and a NUL is
 * needed.  Returns `out`.
 */
char *lines_escape(char *out, const char *text);

/* The words of a definition: " KEY=TEXT", and "meta KEY TEXT" for a line; the text escaped, and
 * nothing for NULL or "". */
void lines_field(struct lines *lines, const char *key, const char *text);
void lines_meta(struct lines *lines, const char *key, const char *text);

/* Ends a line with a word, or with none for NULL: " TEXT\n". */
void lines_word(struct lines *lines, const char *text);

/*
 * The lines of a trace that begin with `start`: how many, and *last is what follows there in the
 * last of them, if there is any; yours to free().  A block that cannot be read has none.
 */
uint32_t lines_find(const struct trace_file *file, const char *start, char **last);

/* Puts a block of them into the file, and empties them.  If a line was left out for want of memory,
 * the file is full of that. */
void lines_put(struct lines *lines, struct trace_file *file);
