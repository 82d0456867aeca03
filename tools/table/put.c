/* SPDX-License-Identifier: MIT */
/* put.c - replaces what is not plain. */
#include "tools/table/put.h"

#include <string.h>

#include "collector/trace/plain.h"

void put_text(FILE *out, const char *text)
{
	for (size_t n; *text; text += n ? n : plain_bad_bytes(text)) {
		n = plain_bytes(text);
		if (n)
			fwrite(text, 1, n, out);
		else
			fputc('?', out);
	}
}

void put_padded(FILE *out, const char *text, int width)
{
	put_text(out, text);
	for (int n = (int)strlen(text); n < width; n++)
		fputc(' ', out);
}

/* Bytes that are no UTF-8 are written as U+FFFD, so that every reader takes the line. */
void put_string(FILE *out, const char *text)
{
	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*text) {
		unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
		size_t n = plain_bytes(text);

		if (first == '"' || first == '\\')
			fprintf(out, "\\%c", first);
		else if (n)
			fwrite(text, 1, n, out);
		else if (first < 0x80)
			fprintf(out, "\\u%04x", first);
		else if (plain_bad_bytes(text) == 2)
			fprintf(out, "\\u%04x", second);
		else
			fputs("\\ufffd", out);
		text += n ? n : plain_bad_bytes(text);
	}
	fputc('"', out);
}

/* A field of CSV [RFC 4180, 2.7]; what is not plain as on the screen. */
void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (size_t n; *text; text += n ? n : plain_bad_bytes(text)) {
		n = plain_bytes(text);
		if (*text == '"')
			fputc('"', out);
		fwrite(n ? text : "?", 1, n ? n : 1, out);
	}
	fputc('"', out);
}
