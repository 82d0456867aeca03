/* SPDX-License-Identifier: MIT */
/* stretch_table.c - what tasks take beside others, by kind: `--by stretch`. */
#include <math.h>

#include "tools/summary/report_tables.h"
#include "tools/table/fit.h"

CELL(struct place, stretch_code, struct crowded_row, summary_of(table)->rows.code[its->kind])

CELL_TEXT(stretch_label, void, stretch_code(table, row).name)

static const char *stretch_where(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	struct place code = stretch_code(table, row);

	return place_where(out, TABLE_TEXT, &code);
}

static const char *beside(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	const struct crowded_row *its = table_row(table, row);

	if (its->what == CROWDED_BESIDE)
		snprintf(out, TABLE_TEXT, "%u", its->others);
	else
		snprintf(out, TABLE_TEXT, "%s",
			 its->what == CROWDED_BASELINE ? "baseline" : "this run");
	return out;
}

/* On the screen: with something to compare. */
CELL(bool, is_compared, struct crowded_row,
     isfinite(its->factor) || (its->what == CROWDED_BASELINE && isfinite(its[1].factor)))

CELL(uint64_t, others, struct crowded_row,
     its->what == CROWDED_BESIDE ? its->others : TABLE_UNKNOWN)

static uint64_t of_a_task(const struct crowded_row *row, uint64_t ns)
{
	return row->n_tasks && ns != TABLE_UNKNOWN ? ns / row->n_tasks : TABLE_UNKNOWN;
}

CELL(uint64_t, work_each, struct crowded_row, of_a_task(its, its->work_ns))

CELL(uint64_t, cpu_each, struct crowded_row, of_a_task(its, its->cpu_ns))

static void put_none(FILE *out, const struct table *table, const struct look *look)
{
	for (uint32_t i = 0; i < table->n; i++)
		if (is_compared(table, i))
			return;
	if (table->n)
		fit_words(out,
			  "nothing to compare: no kind has 5 tasks beside few others, and 5 beside "
			  "more; `tptrace record --baseline` makes a run to compare with",
			  0, 0, (int)look->width);
}

#define FIELD(field) COLUMN_FIELD(struct crowded_row, field)

static const struct column stretch_column[] = {
	{ NULL, "beside", .type = COLUMN_TEXT, .text = beside, .width = 9 },
	{ "kind", .type = COLUMN_TEXT, .only = FOR_CSV, .text = stretch_label },
	{ "place", .type = COLUMN_TEXT, .only = FOR_CSV, .text = stretch_where },
	{ "name", .type = COLUMN_PLACE, .only = FOR_JSON | FOR_SQL, .place = stretch_code },
	{ "what", .type = COLUMN_TEXT, FIELD(what), .word = crowded_what_name },
	{ "others", .number = others },
	{ "tasks", "tasks", FIELD(n_tasks), .width = 9, .drop = 2 },
	{ "work_ns", NULL, .type = COLUMN_NS, FIELD(work_ns) },
	{ "cpu_ns", NULL, .type = COLUMN_NS, FIELD(cpu_ns) },
	{ NULL, "work each", .type = COLUMN_NS, .number = work_each, .width = 10, .drop = 1 },
	{ NULL, "CPU each", .type = COLUMN_NS, .number = cpu_each, .width = 10, .hide = true },
	{ "factor", "factor", .type = COLUMN_REAL, FIELD(factor), .format = "%.3f",
	  .shown = "%*.2f", .width = 8 },
};

void stretch_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "stretch",
				 .heading = "what tasks take beside so many others",
				 .title = "kind",
				 TABLE_COLUMNS(stretch_column),
				 .of = summary,
				 TABLE_ROWS(summary->crowded.row, summary->crowded.n),
				 .label = stretch_label,
				 .where = stretch_where,
				 .is_shown = is_compared,
				 .after = put_none,
				 .empty = " no task ran as one strand of its own\n" };
}
