/* SPDX-License-Identifier: MIT */
/*
 * fit.h - text in columns: lines that are no longer than the screen, and names cut to fit.
 *
 * What is not plain in a text (collector/trace/plain.h) becomes `?`.  A column is a character.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Columns that the text takes. */
int fit_columns(const char *text);

/*
 * Prints the words of the text, from column `at` on, where the line is already; further lines begin
 * in column `indent`.  Ends with a newline.
 */
void fit_words(FILE *out, const char *text, int at, int indent, int width);

/* Lines of text as they are, but wrapped where they are longer; further lines have 4 more blanks.
 */
void fit_lines(FILE *out, const char *text, int width);

/* Prints at most that many columns of the text, the middle replaced by "..", and returns how many.
 */
int fit_cut(FILE *out, const char *text, int columns);

/*
 * "name  place" in exactly that many columns: the name is cut first, but not below a third of them.
 * `place` may be empty, and is left out if it is no line of a file and does not fit.
 */
void fit_name(FILE *out, const char *name, const char *place, int columns);

/* Likewise; a name that is cut loses first the `from` bytes that it begins with, then its end. */
void fit_name_from(FILE *out, const char *name, size_t from, const char *place, int columns);

/* What `put` prints of `of`, as fit_lines() does. */
void fit_output(FILE *out, void (*put)(FILE *out, const void *of), const void *of, int width);
