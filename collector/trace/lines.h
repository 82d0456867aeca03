/* SPDX-License-Identifier: MIT */
/*
 * lines.h - the lines of a block of definitions, until it is written.
 *
 * Not a FILE: that would allocate with the traced program's malloc() (preload/inside/heap.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trace_file;

struct lines {
	char *text;
	size_t bytes;
	bool failed; /* without memory */
};

/* As fprintf().  Only integers, strings and characters: libc allocates for others. */
void lines_print(struct lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The words of a definition: " KEY=TEXT", and "meta KEY TEXT" for a line; the text escaped, and
 * nothing for NULL or "". */
void lines_field(struct lines *lines, const char *key, const char *text);
void lines_meta(struct lines *lines, const char *key, const char *text);

/* Ends a line with a word, or with none for NULL: " TEXT\n". */
void lines_word(struct lines *lines, const char *text);

/* Prints all of them to a stream, and frees them. */
void lines_pour(struct lines *lines, FILE *out);

/* Puts a block of them into the file, and frees them; without memory the file fails. */
void lines_put(struct lines *lines, struct trace_file *file);
