/* SPDX-License-Identifier: MIT */
/* code_table.c - the columns of code that stack samples met: `--by code`. */
#include <string.h>

#include "tools/base/units.h"
#include "tools/summary/report_tables.h"
#include "tools/table/fit.h"

#define SENTENCE 300

CELL_TEXT(code_kind, struct code_row,
	  its->kind == CODE_NO_KIND ? NULL : summary_of(table)->rows.code[its->kind].name)

CELL(struct place, code, struct code_row, its->code)

CELL_TEXT(code_label, void, code(table, row).name)

CELL_TEXT(caller, struct code_row,
	  its->caller.name ? place_text(room, TABLE_TEXT, &its->caller) : NULL)

/* "draws.c:12", "from part, draws.c:19", and the kind or state if that says more. */
static const char *code_where(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct code_row *its = table_row(table, row);
	const struct place *user = its->caller.name ? &its->caller : &its->code;
	const char *in =
		its->kind == CODE_NO_KIND ? state_said[its->state] : code_kind(table, row, out);
	char place[TABLE_TEXT / 2];

	if (its->caller.name)
		place_text(place, sizeof(place), user);
	else
		place_where(place, sizeof(place), user);
	if (strcmp(place, its->code.name) == 0) /* which has no better name */
		place[0] = 0;
	snprintf(out, TABLE_TEXT, "%s%s", its->caller.name ? "from " : "", place);
	if (its->kind != CODE_NO_KIND && strcmp(in, user->name) == 0)
		return out;
	snprintf(out, TABLE_TEXT, "%s%s%s%s%.*s", its->caller.name ? "from " : "", place,
		 place[0] ? "; " : "", its->kind == CODE_NO_KIND ? "" : "in ", TABLE_TEXT / 4, in);
	return out;
}

CELL(double, code_share, struct code_row, 100 * its->share)

/* The samples, and their rate; or why there are none. */
static void put_samples(FILE *out, const struct table *table, const struct look *look)
{
	const struct sampled *sampled = &((const struct summary *)table->of)->sampled;
	const char *why_none = sampled->defs ? defs_meta(sampled->defs, "samples_off") : NULL;
	double period_ns = (double)sampled->period_ns;
	char text[SENTENCE], rate[SENTENCE] = "", cost[SENTENCE] = "", time[UNITS_TIME];

	if (period_ns > 0)
		snprintf(rate, sizeof(rate), ", each of %s of CPU time (%.0f a second)",
			 units_time(time, sampled->period_ns), 1e9 / period_ns);
	if (period_ns > 0 && sampled->cost_ns)
		snprintf(cost, sizeof(cost), "; to take one cost %s, %.1f %%",
			 units_time(time, sampled->cost_ns),
			 100. * (double)sampled->cost_ns / period_ns);
	if (sampled->code.n)
		snprintf(text, sizeof(text), "%llu samples%s%s",
			 (unsigned long long)sampled->code.n, rate, cost);
	else
		snprintf(text, sizeof(text), " %s", why_none ? why_none : "");
	if (sampled->code.n || why_none)
		fit_words(out, text, 0, 0, (int)look->width);
}

#define FIELD(field) COLUMN_FIELD(struct code_row, field)

static const struct column code_column[] = {
	{ NULL, "share", .type = COLUMN_SHARE, .real = code_share, .width = 8 },
	{ "kind", .type = COLUMN_TEXT, .text = code_kind },
	{ "state", .type = COLUMN_TEXT, FIELD(state), .word = state_name },
	{ "function", .type = COLUMN_TEXT, .only = FOR_CSV, .text = code_label },
	{ "place", .type = COLUMN_TEXT, .only = FOR_CSV, .text = code_where },
	{ "function", .type = COLUMN_PLACE, .only = FOR_JSON | FOR_SQL, .place = code },
	{ "caller", .type = COLUMN_TEXT, .text = caller },
	{ "samples", "samples", FIELD(n), .width = 9, .drop = 1 },
	{ "share", .type = COLUMN_REAL, FIELD(share), .format = "%.4f" },
	{ "cpu_ns", "on a CPU", .type = COLUMN_NS, FIELD(cpu_ns), .width = 10 },
	{ "samples_beside", .type = COLUMN_NUMBER, FIELD(n_beside) },
	{ "samples_kernel", .type = COLUMN_NUMBER, FIELD(n_kernel) },
	{ "asleep_ns", "asleep", .type = COLUMN_NS, FIELD(asleep_ns), .width = 10, .hide = true,
	  .blank = true },
};

void code_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "code",
				 .heading = "CPU time by kind and function",
				 .title = "code",
				 TABLE_COLUMNS(code_column),
				 .of = summary,
				 TABLE_ROWS(summary->code.row, summary->code.n),
				 .label = code_label,
				 .where = code_where,
				 .after = put_samples,
				 .empty = " the trace has no samples of stacks\n" };
}
