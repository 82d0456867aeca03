/* SPDX-License-Identifier: MIT */
/* defs_text.c - cuts lines of definitions into words, and escapes what would end one. */
#include "collector/trace/defs_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/plain.h"

char *defs_escape(char *out, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	char *at = out;

	while (*text) {
		unsigned char c = (unsigned char)*text;
		/* what ends a word, or a line, or begins an escape or a comment */
		size_t n = c == ' ' || c == '%' || c == '#' ? 0 : plain_bytes(text);

		memcpy(at, text, n);
		at += n;
		text += n ? n : 1;
		if (n)
			continue;
		*at++ = '%';
		*at++ = hex[c >> 4];
		*at++ = hex[c & 15];
	}
	*at = 0;
	return out;
}

static int hex_digit(char c)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	const char *found = c ? strchr(hex, c) : NULL;

	if (!found)
		return -1;
	return found - hex < 16 ? (int)(found - hex) : (int)(found - hex) - 6;
}

void defs_unescape(char *text)
{
	char *out = text;

	while (*text) {
		int high = -1, low = -1;

		if (*text == '%') {
			high = hex_digit(text[1]);
			low = high < 0 ? -1 : hex_digit(text[2]);
		}
		if (low < 0 || (high == 0 && low == 0)) { /* %00 would end the string */
			*out++ = *text++;
		} else {
			*out++ = (char)(high << 4 | low);
			text += 3;
		}
	}
	*out = 0;
}

char *defs_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");

	if (*word == 0 || *word == '#')
		return NULL;
	*at = word + strcspn(word, " \t\r#");
	if (**at == '#')
		**at = 0;
	else if (**at)
		*(*at)++ = 0;
	return word;
}

int defs_number(const char *word, uint64_t *value)
{
	char *end;
	int hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');

	if (word[0] < '0' || word[0] > '9') /* strtoull() takes signs and blanks */
		return -EPROTO;
	errno = 0;
	*value = strtoull(word, &end, hex ? 16 : 10);
	return *end || errno ? -EPROTO : 0;
}
