/* SPDX-License-Identifier: MIT */
/* wait_table.c - the columns of places that wait for tasks, and of the kinds that each waited for
 * last. */
#include "tools/base/at_most.h"
#include "tools/summary/lock_names.h"
#include "tools/summary/report_tables.h"

#define NAME_WIDE 35 /* with names of so many columns there is room for the longest, too */

CELL(struct place, last_place, struct wait_kind,
     rows_find(&summary_of(table)->rows, its->kind)->code)

static const struct column last_column[] = {
	{ "name", .type = COLUMN_CODE, .place = last_place },
	{ "times", COLUMN_FIELD(struct wait_kind, n), .under = "waited" },
	{ "wait_ns", .type = COLUMN_NS, COLUMN_FIELD(struct wait_kind, ns), .under = "wait_ns" },
};

static int below(const struct table *table, uint32_t row, struct table *to)
{
	const struct wait_site *site = table_row(table, row);

	to[0] = (struct table){ .name = "last",
				.title = "last",
				TABLE_COLUMNS(last_column),
				.of = table->of,
				TABLE_ROWS(site->last,
					   (uint32_t)at_most(WAIT_KINDS, site->n_kinds)) };
	return 1;
}

CELL(struct place, place, struct wait_site, rows_site(summary_of(table)->run, its->site))

CELL_TEXT(kind, struct wait_site, wait_name(its->what))

CELL_TEXT(name, void, place(table, row).name ?: kind(table, row, room))

static const char *where(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	struct place its = place(table, row);

	return its.name ? place_text(out, TABLE_TEXT, &its) : "";
}

#define COUNT(field) COLUMN_FIELD(struct wait_site, field)
#define TIME(field) .type = COLUMN_NS, COLUMN_FIELD(struct wait_site, field), .width = 9

static const struct column wait_column[] = {
	{ "wait", .type = COLUMN_TEXT, .only = FOR_CSV, .text = kind },
	{ "place", .type = COLUMN_TEXT, .only = FOR_CSV, .text = where },
	{ "site", .only = FOR_SQL, COUNT(site) },
	{ "name", .type = COLUMN_TEXT, .only = FOR_JSON, .text = name },
	{ "function", .type = COLUMN_PLACE, .only = FOR_JSON | FOR_SQL, .place = place },
	{ "kind", .type = COLUMN_TEXT, .only = FOR_JSON | FOR_SQL, .text = kind },
	{ "times", "times", COUNT(n), .width = 8 },
	{ "waited", "waited", COUNT(n_waited), .width = 8, .diff = "times" },
	{ "wait_ns", "in", TIME(wait_ns), .diff = "wait_ns" },
	{ "max_ns", "max", TIME(max_ns), .drop = 1, .name_least = NAME_WIDE },
	{ "idle_ns", "idle", TIME(idle_ns) },
};

void wait_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "waits",
				 .title = "wait",
				 .heading = "waits for tasks",
				 TABLE_COLUMNS(wait_column),
				 .of = summary,
				 TABLE_ROWS(summary->waits.site, summary->waits.n),
				 .label = kind,
				 .where = where,
				 .below = below,
				 .empty = " no task waited for tasks\n" };
}
