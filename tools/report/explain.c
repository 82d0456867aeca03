/* SPDX-License-Identifier: MIT */
/* explain.c - prints explanations, in lines of a screen. */
#include "tools/report/explain.h"

#include "tools/analysis/findings/findings.h"
#include "tools/table/fit.h"

#define LINE 78 /* longer ones are tiring to read */
#define INDENT 10

/* A paragraph behind its label, in lines of words. */
static void put_paragraph(FILE *out, const char *label, const char *text, int width)
{
	fprintf(out, "%-*s", INDENT, label);
	fit_words(out, text, INDENT, INDENT, width);
}

bool explain_put(FILE *out, const char *id, int width)
{
	const struct explanation *about = findings_explain(id);

	if (!about)
		return false;
	width = width < LINE ? width : LINE;
	fit_words(out, about->title, fprintf(out, "%s: ", about->id), INDENT, width);
	fputc('\n', out);
	put_paragraph(out, "meaning", about->meaning, width);
	put_paragraph(out, "evidence", about->evidence, width);
	put_paragraph(out, "try", about->remedy, width);
	return true;
}
