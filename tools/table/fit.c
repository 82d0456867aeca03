/* SPDX-License-Identifier: MIT */
/* fit.c - breaks lines between words, and names in the middle. */
#include "tools/table/fit.h"
#include "tools/base/written.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/plain.h"
#include "tools/base/xalloc.h"

#define INDENT 4
#define UNITS 5
#define WORD_LEAST 12 /* columns that words have, however narrow the screen is */

/* Further bytes of a character of UTF-8 take no column. */
static bool is_further(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static int columns_of(const char *from, const char *to)
{
	int n = 0;

	for (; from < to; from++)
		n += !is_further(*from);
	return n;
}

/* The plain text after so many characters. */
static const char *skip(const char *text, int n)
{
	while (*text && n-- > 0)
		for (text++; is_further(*text);)
			text++;
	return text;
}

/* A copy without anything that is not plain. */
static char *plain_copy(const char *text)
{
	char *copy = xstrdup(text);

	plain_make(copy);
	return copy;
}

int fit_columns(const char *text)
{
	FREED char *copy = plain_copy(text);

	return columns_of(copy, copy + strlen(copy));
}

/* Behind a word; a number and its unit are one. */
static const char *word_end(const char *text)
{
	static const char *const units[] = { "%", "ns", "us", "ms", "s" };
	const char *end = text + strcspn(text, " ");

	for (size_t i = 0; *text >= '0' && *text <= '9' && *end && i < UNITS; i++) {
		size_t n = strlen(units[i]);

		if (strncmp(end + 1, units[i], n) == 0 && !isalpha((unsigned char)end[1 + n]))
			return end + 1 + strcspn(end + 1, " ");
	}
	return end;
}

/* A word, cut if it is longer than that many columns; returns how many it took. */
static int put_word(FILE *out, const char *text, const char *end, int columns)
{
	FREED char *word = xstrndup(text, (size_t)(end - text));

	return fit_cut(out, word, columns > WORD_LEAST ? columns : WORD_LEAST);
}

static void put_words(FILE *out, const char *text, int at, int indent, int width)
{
	bool first = true; /* of its line */

	while (*(text += strspn(text, " "))) {
		const char *end = word_end(text);
		int n = columns_of(text, end);

		if (!first && at + 1 + n > width) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
			first = true;
		}
		if (!first)
			fputc(' ', out);
		n = put_word(out, text, end, width - at - !first);
		at += n + !first;
		first = false;
		text = end;
	}
	fputc('\n', out);
}

void fit_words(FILE *out, const char *text, int at, int indent, int width)
{
	FREED char *copy = plain_copy(text);

	put_words(out, copy, at, indent, width);
}

void fit_lines(FILE *out, const char *text, int width)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), blanks = strspn(text, " ");
		FREED char *line = xstrndup(text, n);

		plain_make(line);
		if (columns_of(line, line + strlen(line)) <= width)
			fprintf(out, "%s\n", line);
		else
			put_words(out, line, fprintf(out, "%.*s", (int)blanks, line),
				  (int)blanks + INDENT, width);
		text += n + (text[n] == '\n');
	}
}

int fit_cut(FILE *out, const char *text, int columns)
{
	FREED char *copy = plain_copy(text);
	int n = columns_of(copy, copy + strlen(copy)), head, tail;

	if (n <= columns) {
		fputs(copy, out);
	} else {
		head = (columns - 2) / 2;
		tail = columns - 2 - head;
		fwrite(copy, 1, (size_t)(skip(copy, head) - copy), out);
		fprintf(out, "..%s", skip(copy, n - tail));
		n = columns;
	}
	return n;
}

/* Without so many bytes that it begins with, if it has to be cut. */
static int cut_from(FILE *out, const char *name, size_t from, int columns)
{
	int over = fit_columns(name) - columns, bytes;
	const char *rest = name + from, *last = skip(name, over + 2);

	if (!from || over <= 0 || columns <= 2)
		return fit_cut(out, name, columns);
	if (rest > last)
		rest = last;
	while (is_further(*rest))
		rest--;
	bytes = (int)(skip(rest, columns - 2) - rest);
	fprintf(out, "..%.*s", bytes, rest);
	return 2 + columns_of(rest, rest + bytes);
}

void fit_name_from(FILE *out, const char *name, size_t from, const char *place, int columns)
{
	int wide = fit_columns(place), left = columns, least = fit_columns(name);

	if (!strchr(place, ':') && least + 2 + wide > columns)
		wide = 0; /* a module says less than the end of a name */
	if (least > columns / 3)
		least = columns / 3;
	if (wide > columns - 2 - least)
		wide = columns - 2 - least > 0 ? columns - 2 - least : 0;
	if (wide > columns / 2 + columns / 4)
		wide = columns / 2 + columns / 4;
	left -= cut_from(out, name, from, wide ? columns - wide - 2 : columns);
	if (wide) {
		fputs("  ", out);
		left -= 2 + fit_cut(out, place, wide);
	}
	fprintf(out, "%*s", left, "");
}

void fit_name(FILE *out, const char *name, const char *place, int columns)
{
	fit_name_from(out, name, 0, place, columns);
}

void fit_output(FILE *out, void (*put)(FILE *out, const void *of), const void *of, int width)
{
	FREED char *text = written(put, of, NULL);

	fit_lines(out, text, width);
}
