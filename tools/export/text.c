/* SPDX-License-Identifier: MIT */
/* text.c - escapes names. */
#include "tools/export/text.h"

#include <stdbool.h>
#include <string.h>

#include "collector/trace/plain.h"
#include "tools/base/xalloc.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the character that is there, plain or control; 0: it is no UTF-8. */
static size_t character(const char *text)
{
	size_t n = plain_bytes(text);

	if (n)
		return n;
	if ((unsigned char)text[0] < 0x80)
		return 1;
	return plain_bad_bytes(text) == 2 ? 2 : 0; /* C1 */
}

char *text_utf8(const char *text)
{
	char *copy = xmalloc(strlen(text) * strlen(REPLACEMENT) + 1), *to = copy;

	while (*text) {
		size_t n = character(text);

		memcpy(to, n ? text : REPLACEMENT, n ? n : strlen(REPLACEMENT));
		to += n ? n : strlen(REPLACEMENT);
		text += n ? n : 1;
	}
	*to = 0;
	return copy;
}

/* C0 but for the three that XML has, and U+FFFE and U+FFFF, are no characters of XML 1.0. */
static bool is_xml(const char *text)
{
	unsigned char c = (unsigned char)*text;

	if (c < ' ')
		return c == '\t' || c == '\n' || c == '\r';
	return c != 0xef || memcmp(text, "\xef\xbf\xbe", 3) < 0;
}

void text_xml(FILE *out, const char *text)
{
	for (size_t n; *text; text += n) {
		n = character(text);
		if (strchr("&<>\"'\t\n\r", *text))
			fprintf(out, "&#%d;", *text);
		else if (is_xml(text))
			fwrite(text, 1, n, out);
		else
			fputs(REPLACEMENT, out);
	}
}

void text_dot(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '&') /* labels know the entities of HTML */
			fputs("&amp;", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fputs(REPLACEMENT, out);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}

void text_csv(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void text_paje(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('\'', out);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fputs(REPLACEMENT, out);
		else
			fputc(*text, out);
	}
	fputc('"', out);
}
