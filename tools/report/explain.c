/* SPDX-License-Identifier: MIT */
/* explain.c - prints explanations, in lines of a screen. */
#include "tools/report/explain.h"

#include <string.h>

#include "tools/analysis/findings/findings.h"

#define LINE 78
#define INDENT 10

/* A paragraph behind its label, in lines of words. */
static void put_paragraph(FILE *out, const char *label, const char *text)
{
	size_t column = INDENT;

	fprintf(out, "%-*s", INDENT, label);
	while (*text) {
		size_t word = strcspn(text, " ");

		if (column + word > LINE && column > INDENT) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		}
		fprintf(out, "%s%.*s", column > INDENT ? " " : "", (int)word, text);
		column += word + (column > INDENT);
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

bool explain_put(FILE *out, const char *id)
{
	const struct explanation *about = findings_explain(id);

	if (!about)
		return false;
	fprintf(out, "%s: %s\n\n", about->id, about->title);
	put_paragraph(out, "meaning", about->meaning);
	put_paragraph(out, "evidence", about->evidence);
	put_paragraph(out, "try", about->remedy);
	return true;
}
