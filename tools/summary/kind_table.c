/* SPDX-License-Identifier: MIT */
/* kind_table.c - the columns of kinds and of creation paths: what their tasks are charged with. */
#include <math.h>

#include "tools/summary/charge_columns.h"
#include "tools/base/xalloc.h"
#include "tools/summary/counter_table.h"
#include "tools/summary/json_distributions.h"
#include "tools/summary/report_tables.h"

/* Paths are kinds of a graph of their own. */
static uint32_t number_of(const struct table *table, uint32_t row)
{
	if (!table->row)
		return row;
	return table->by ? *(const uint32_t *)table_row(table, row)
			 : ((const struct kind_row *)table_row(table, row))->kind;
}

static const struct breakdown *breakdown_of(const struct table *table)
{
	const struct path_rows *paths = table->by;

	return paths ? &paths->by.breakdown : &((const struct summary *)table->of)->breakdown;
}

static const void *facts(const struct table *table, uint32_t row)
{
	const struct path_rows *paths = table->by;
	const struct summary *summary = table->of;

	return &(paths ? paths->by.facts : summary->facts)[number_of(table, row)];
}

CELL(const void *, charge, void, &breakdown_of(table)->kind[number_of(table, row)])

CELL(const void *, in_state, void, &breakdown_of(table)->in_state[number_of(table, row)])

/* What few traces have. */
/* NULL: nothing was counted. */
static const struct counts *counts_of(const struct table *table, uint32_t row)
{
	const struct path_rows *paths = table->by;
	const struct summary *summary = table->of;
	const struct counts *counts = paths ? paths->by.counts : summary->counts;

	return counts ? &counts[number_of(table, row)] : NULL;
}

static void put_counted(struct json *to, const struct table *table, uint32_t row)
{
	const struct counts *counts = counts_of(table, row);
	const struct kind_facts *of = facts(table, row);
	const struct charge *its = charge(table, row);

	if (counts)
		counters_put_json_row(to, table->of, counts, of->n_tasks, its->work_ns);
}

CELL_OF(double, ipc, struct counts, counts_of(table, row),
	its ? counters_ipc(table->of, its) : (double)NAN)

#define FACT(field) .within = facts, COLUMN_FIELD(struct kind_facts, field)
#define FACT_NS(field) .type = COLUMN_NS, FACT(field)
#define HAS_STATE(in, ...)                                                                         \
	static bool has_##in(const struct table *table, uint32_t row)                              \
	{                                                                                          \
		(void)row;                                                                         \
		return state_seen(breakdown_of(table)->state, STATE_##in);                         \
	}
STATES_OF_TASKS(HAS_STATE)
#define STATE_COLUMN(in, key, ...)                                                                 \
	{ key, .type = COLUMN_NS, .within = in_state,                                              \
	  COLUMN_FIELD(struct state_times, ns[STATE_##in]), .has = has_##in },
#define LENGTHS                                                                                    \
	{ "min_ns", FACT_NS(min_ns) }, { "median_ns", FACT_NS(median_ns) },                        \
	{                                                                                          \
		"max_ns", FACT_NS(max_ns)                                                          \
	}
#define IPC "ipc", .type = COLUMN_REAL, .only = FOR_SQL, .real = ipc, .format = "%.4f"

/* ---- kinds ---- */

CELL(uint64_t, id, void, number_of(table, row))

CELL(struct place, code, void, summary_of(table)->rows.code[number_of(table, row)])

CELL_OF(uint64_t, site, site_id, &summary_of(table)->dag->kind_site[number_of(table, row)],
	*its == SITE_NONE ? TABLE_UNKNOWN : *its)

static void put_site(struct json *to, const char *key, const struct table *table, uint32_t row)
{
	json_open(to, key, '{');
	table_put_json_place(to, "name", &((const struct kind_row *)table_row(table, row))->site,
			     COLUMN_PLACE);
	json_close(to, '}');
}

CELL(const void *, kind_what, void, &summary_of(table)->dag->kind_what[number_of(table, row)])

CELL_OF(uint64_t, collapsed, struct kind_collapsed,
	summary_of(table)->dag->kind_collapsed[number_of(table, row)], its ? its->n_tasks : 0)

/* What its tasks cost, and what to do with them. */
CELL(const void *, grain_of, void, &summary_of(table)->findings.grain[number_of(table, row)])

CELL_OF(uint64_t, cost_ns, struct kind_grain, grain_of(table, row),
	its->benefit > 0 ? its->cost_ns : TABLE_UNKNOWN)

CELL_OF(double, benefit, struct kind_grain, grain_of(table, row),
	its->benefit > 0 ? its->benefit : (double)NAN)

/* What the samples in its tasks stand for. */
CELL_OF(uint64_t, cpu_ns, struct sampled, &summary_of(table)->sampled,
	its->code.kind_n && its->period_ns
		? its->code.kind_n[number_of(table, row)] * its->period_ns
		: TABLE_UNKNOWN)

static const struct column kind_column[] = {
	{ "id", .only = FOR_SQL, .number = id },
	{ "name", .type = COLUMN_PLACE, .only = FOR_JSON, .place = code },
	{ "function", .type = COLUMN_PLACE, .only = FOR_SQL, .place = code },
	{ "site", .only = FOR_SQL, .number = site },
	{ "what", .type = COLUMN_TEXT, .within = kind_what, .bytes = 1, .word = kind_what_name },
	{ "tasks", FACT(n_tasks), .diff = "tasks" },
	{ "collapsed", .number = collapsed, .diff = "collapsed" },
	CHARGE_COLUMNS(charge),
	{ "cpu_ns", .type = COLUMN_NS, .number = cpu_ns, .diff = "cpu_ns" },
	STATES_OF_TASKS(STATE_COLUMN) LENGTHS,
	{ "max_at_ns", FACT_NS(max_at_ns) },
	{ "cost_ns", .type = COLUMN_NS, .number = cost_ns },
	{ "benefit", .type = COLUMN_REAL, .real = benefit, .format = "%.3f" },
	{ "quadrant", .type = COLUMN_TEXT, .within = grain_of,
	  COLUMN_FIELD(struct kind_grain, quadrant), .word = quadrant_name },
	{ "site", .only = FOR_JSON, .json = put_site },
	{ IPC },
};

static void put_spreads(struct json *to, const struct table *table, uint32_t row)
{
	json_put_kind_distributions(to, &((const struct summary *)table->of)->distributions,
				    number_of(table, row));
	put_counted(to, table, row);
}

void kind_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "kinds",
				 TABLE_COLUMNS(kind_column),
				 .of = summary,
				 TABLE_ROWS(summary->rows.row, summary->rows.n),
				 .members = put_spreads };
}

void kind_id_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "kinds",
				 TABLE_COLUMNS(kind_column),
				 .of = summary,
				 .n = summary->dag->n_kinds };
}

/* ---- paths ---- */

CELL_TEXT(name, void, path_text(room, TABLE_TEXT, table->by, number_of(table, row)))

/* The stack that creates its tasks, from the outermost function on. */
static void put_stack(struct json *to, const struct path_rows *rows, uint32_t path)
{
	site_id call[PATH_CALLS];
	uint32_t n = path_calls(rows, path, call);

	if (!rows->summary->calls)
		return;
	json_open(to, "calls", '[');
	for (uint32_t i = n; i-- > 0;) {
		struct place place = rows_site(rows->summary->run, call[i]);

		json_open(to, NULL, '{');
		table_put_json_place(to, "name", &place, COLUMN_PLACE);
		json_close(to, '}');
	}
	json_close(to, ']');
}

static void put_chain(struct json *to, const char *key, const struct table *table, uint32_t row)
{
	const struct path_rows *rows = table->by;
	uint32_t chain[PATHS_DEEPEST], n = path_chain(rows, number_of(table, row), chain);

	json_open(to, key, '[');
	for (uint32_t c = 0; c < n; c++) {
		json_open(to, NULL, '{');
		table_put_json_place(to, "name", path_code(rows, chain[c]), COLUMN_PLACE);
		json_bool(to, "recursive", path_is_recursive(rows, chain[c]));
		json_bool(to, "guessed", rows->paths.path[chain[c]].guessed);
		put_stack(to, rows, chain[c]);
		json_close(to, '}');
	}
	json_close(to, ']');
}

static const struct column path_column[] = {
	{ "name", .type = COLUMN_TEXT, .text = name },
	{ "path", .only = FOR_JSON, .json = put_chain },
	{ "tasks", FACT(n_tasks), .diff = "tasks" },
	CHARGE_COLUMNS(charge),
	STATES_OF_TASKS(STATE_COLUMN) LENGTHS,
	{ IPC },
};

static void free_rows(void *own)
{
	if (own)
		path_rows_free(own);
	free(own);
}

void path_table(struct table *table, const struct summary *summary)
{
	struct path_rows *own = summary->paths ? NULL : xcalloc(1, sizeof(*own));
	const struct path_rows *rows = own ?: summary->paths;
	if (own && summary->dag)
		path_rows_build(own, summary);

	*table = (struct table){ .name = "paths",
				 TABLE_COLUMNS(path_column),
				 .of = summary,
				 .by = rows,
				 .own = own,
				 .free_own = free_rows,
				 TABLE_ROWS(rows->row, rows->n),
				 .members = put_counted };
}

/* ---- sites ---- */

CELL(struct place, site_place, void, rows_site(summary_of(table)->run, row))

static const struct column site_column[] = {
	{ "id", .number = id },
	{ "function", .type = COLUMN_PLACE, .place = site_place },
};

void site_table(struct table *table, const struct summary *summary)
{
	*table = (struct table){ .name = "sites",
				 TABLE_COLUMNS(site_column),
				 .of = summary,
				 .n = summary->run->sites.n };
}
