/* SPDX-License-Identifier: MIT */
/* put_json.c - quotes and backslashes are those of operators and paths. */
#include "tools/model/put_json.h"

void put_json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			fprintf(out, "\\u%04x", *text);
		else
			fputc(*text, out);
	fputc('"', out);
}
