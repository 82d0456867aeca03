/* SPDX-License-Identifier: MIT */
/* screen_findings.c - numbers findings, and lays them out. */
#include <ctype.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/summary/found.h"
#include "tools/report/screen_parts.h"
#include "tools/table/fit.h"
#include "tools/summary/tried.h"
#include "tools/base/base_name.h"

#define INDENT 15
#define NAME_LEAST 8
#define WORTH_TELLING .05 /* of elapsed x P, if nothing is found */

uint32_t screen_findings_shown(const struct summary *summary, const struct look *look)
{
	uint32_t n = summary->findings.n;

	return look->verbose || n < SCREEN_FINDINGS ? n : SCREEN_FINDINGS;
}

static void put_title(FILE *out, const char *title)
{
	for (; *title; title++)
		fputc(toupper((unsigned char)*title), out);
}

/* With "file:line" whole: what is too long is cut out of the name. */
static void put_where(FILE *out, const struct place *place, int columns)
{
	char at[200] = ", ";
	int left;

	if (place->file)
		snprintf(at, sizeof(at), ", %.150s:%u", path_base(place->file), place->line);
	else if (place->offset)
		place_where(at + 2, sizeof(at) - 2, place);
	else
		at[0] = 0;
	if (strcmp(at + (at[0] ? 2 : 0), place->name) == 0)
		at[0] = 0;
	left = columns - fit_columns(at);
	columns -= fit_cut(out, place->name, left > NAME_LEAST ? left : NAME_LEAST);
	if (columns > 2)
		fit_cut(out, at, columns);
}

static void put_lines(FILE *out, const char *text, int width)
{
	char line[FINDING_TEXT];

	while (*text) {
		size_t n = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		fprintf(out, "%*s", INDENT, "");
		fit_words(out, line, INDENT, INDENT, width);
		text += n + (text[n] == '\n');
	}
}

/* The advice up to where it says what else there is: that is for --verbose and --explain. */
static void put_advice(FILE *out, const char *advice, const struct look *look)
{
	char first[FINDING_TEXT];
	size_t n = 0;

	for (int depth = 0; advice[n] && (look->verbose || depth || advice[n] != ';'); n++)
		depth += (advice[n] == '(') - (advice[n] == ')');
	snprintf(first, sizeof(first), "%.*s", (int)n, advice);
	fprintf(out, "%*stry: ", INDENT, "");
	fit_words(out, first, INDENT + 5, INDENT + 5, (int)look->width);
}

void screen_put_finding(FILE *out, uint32_t number, const struct found *found,
			const struct look *look)
{
	const char *on = look->bold ? "\033[1m" : "", *off = look->bold ? "\033[0m" : "";
	const char *title = findings_explain(found->finding->id)->title;
	bool of_machine = finding_is_of_machine(found->finding);
	int left = (int)look->width - INDENT - (int)strlen(title) - 2;
	char text[UNITS_TIME];

	fprintf(out, "%2u  %9s  %s", number, units_time(text, found->finding->lost_ns), on);
	put_title(out, title);
	fprintf(out, "%s%s", off, of_machine ? "" : "  ");
	if (found->lock[0]) {
		left -= fit_cut(out, found->lock, left / 2) + 2;
		fputs("  ", out);
	}
	if (!of_machine)
		put_where(out, &found->place, left);
	fputc('\n', out);
	put_lines(out, found->what, (int)look->width);
	put_advice(out, found->advice, look);
}

void screen_put_hint(FILE *out, const struct finding *const *finding, uint32_t n, int at,
		     const struct look *look)
{
	char text[300] = "(--explain ";
	uint32_t n_ids = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *id = finding[i]->id;
		uint32_t j = 0;

		while (j < i && strcmp(finding[j]->id, id) != 0)
			j++;
		if (j < i || strlen(text) + strlen(id) + 40 > sizeof(text))
			continue;
		strcat(text, n_ids++ ? "|" : "");
		strcat(text, id);
	}
	strcat(text, " says more)");
	fit_words(out, text, at, INDENT, (int)look->width);
}

void screen_put_findings(FILE *out, const struct summary *summary, const struct look *look)
{
	const struct findings *findings = &summary->findings;
	uint32_t n = screen_findings_shown(summary, look);
	FREED const struct finding **shown = xcalloc(n + 1ull, sizeof(*shown));
	uint64_t rest = 0;
	struct found found;
	char text[UNITS_TIME];

	if (!n &&
	    (double)findings->not_explained_ns < WORTH_TELLING * (double)summary->cumulative_ns)
		return;
	fputc('\n', out);
	for (uint32_t i = 0; i < findings->n; i++) {
		if (i >= n) {
			rest += findings->finding[i].lost_ns;
			continue;
		}
		shown[i] = &findings->finding[i];
		found_say(&found, summary, shown[i]);
		screen_put_finding(out, i + 1, &found, look);
		tried_put_finding(out, summary, i, INDENT, look);
	}
	if (rest)
		fprintf(out, "    %9s  %u more: --verbose\n", units_time(text, rest),
			findings->n - n);
	fprintf(out, "    %9s  ", units_time(text, findings->not_explained_ns));
	if (n) {
		fputs("not explained   ", out);
		screen_put_hint(out, shown, n, INDENT + 16, look);
	} else {
		fit_words(out, "not explained: no cause that tptrace knows has evidence here",
			  INDENT, INDENT, (int)look->width);
	}
	tried_put_end(out, summary, INDENT, look);
}
