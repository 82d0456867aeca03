/* SPDX-License-Identifier: MIT */
/*
 * lines.h - a block of definitions: lines that a function prints.
 *
 * Not a FILE: that would allocate with the traced program's malloc() (preload/inside/heap.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct drain;
struct trace_file;

struct lines {
	char *text;
	size_t bytes, room;
	bool failed; /* without memory */
};

/* As fprintf().  Only integers, strings and characters: libc allocates for others. */
void lines_print(struct lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints all of them to a stream, and frees them. */
void lines_pour(struct lines *lines, FILE *out);

/* Prints lines; `context` is its own. */
typedef void lines_writer(struct drain *drain, struct lines *out, const void *context);

/* Puts a block of the lines that `put` prints into the file; without memory the file fails. */
void lines_put(struct drain *drain, struct trace_file *file, lines_writer *put,
	       const void *context);
