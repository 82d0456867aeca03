/* SPDX-License-Identifier: MIT */
/* screen.c - puts the parts of a report under one another. */
#include "tools/report/screen.h"

#include <string.h>

#include "tools/table/fit.h"
#include "tools/summary/counter_table.h"
#include "tools/table/put.h"
#include "tools/summary/report_tables.h"
#include "tools/report/screen_parts.h"
#include "tools/summary/verdict.h"
#include "tools/base/xalloc.h"
#include "tools/base/base_name.h"

#define PHASES_SHOWN 12u /* `--by phase` has them all */

static void put_title(FILE *out, const char *title, const char *by, const struct look *look)
{
	fprintf(out, "\n%s%s%s%s\n", look->bold ? "\033[1m" : "", title, by,
		look->bold ? "\033[0m" : "");
}

static void put_components(FILE *out, const void *summary)
{
	screen_put_components(out, summary);
}

static void put_runtimes(FILE *out, const void *summary)
{
	screen_put_runtimes(out, summary);
	screen_put_teams(out, summary);
}

static void put_phases(FILE *out, const struct summary *summary, const struct profile *profile,
		       const struct look *look)
{
	struct look rows = *look;
	AT_END(profile_free) struct profile phases = { 0 };

	if (summary->run->phases.n == 1 || profile->by == BY_PHASE)
		return;
	profile_build(&phases, summary, BY_PHASE);
	rows.n_most = PHASES_SHOWN;
	put_title(out, "core-seconds by phase", "", look);
	profile_text(out, &phases, summary->cumulative_ns, &rows);
}

/* Whether the rows of that grouping are code. */
static bool is_code(enum profile_by by)
{
	return by == BY_KIND || by == BY_SITE || by == BY_PATH;
}

/* Compiled with -g: lines of some of its code are known, so what has none is a library's header. */
static bool has_lines(const struct summary *summary, const char *module)
{
	const char *exe = defs_meta(summary->defs, "exe");

	if (summary->run->sites.main.file && exe && strcmp(exe, module) == 0)
		return true;
	for (uint32_t i = 0; i < summary->rows.n; i++) {
		const struct kind_row *row = &summary->rows.row[i];

		if ((row->code.file && row->code.module && !strcmp(row->code.module, module)) ||
		    (row->site.file && row->site.module && !strcmp(row->site.module, module)))
			return true;
	}
	return false;
}

/* Which program or library is known by its addresses alone, the most costly. */
static void put_no_lines(FILE *out, const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->rows.n; i++) {
		const struct place *code = &summary->rows.row[i].code;

		if (code->file || !code->offset || !code->module ||
		    has_lines(summary, code->module))
			continue;
		fputs("no line numbers of ", out);
		put_text(out, path_base(code->module));
		fputs(": compile it with -g\n", out);
		return;
	}
}

static void put_screen_table(FILE *out, const struct summary *summary, table_open *open,
			     const struct look *look)
{
	AT_END(table_close) struct table table;

	open(&table, summary);
	put_title(out, table.heading, "", look);
	table_put_text(out, &table, look);
}

static void put_loss(FILE *out, const struct summary *summary, const struct look *look)
{
	char text[VERDICT_TEXT];

	verdict_say(text, summary, screen_findings_shown(summary, look));
	fit_words(out, text, 0, 0, (int)look->width);
}

void screen_report(FILE *out, const struct summary *summary, const struct profile *profile,
		   const struct look *look)
{
	table_open *open = table_by_name(profile_by_name[profile->by]);

	screen_put_header(out, summary, look);
	screen_put_warnings(out, summary, look);
	put_loss(out, summary, look);
	screen_put_findings(out, summary, look);
	screen_put_strip(out, summary, look);
	if (look->verbose) {
		put_title(out, "where the core-seconds went", "", look);
		fit_output(out, put_components, summary, (int)look->width);
	}
	fit_output(out, put_runtimes, summary, (int)look->width);
	put_phases(out, summary, profile, look);
	if (open) {
		put_screen_table(out, summary, open, look);
		return;
	}
	put_title(out, "core-seconds by ", profile_by_name[profile->by], look);
	profile_text(out, profile, summary->cumulative_ns, look);
	if (is_code(profile->by))
		put_no_lines(out, summary);
	if (counters_any(summary) && profile_counts(profile->by)) {
		put_title(out, "counters by ", profile_by_name[profile->by], look);
		counters_put(out, summary, profile, look);
	}
}
