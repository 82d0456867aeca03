/* SPDX-License-Identifier: MIT */
/* defs_text.c - cuts lines of definitions into words, and reads these. */
#include "tools/trace/defs_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
