/* SPDX-License-Identifier: MIT */
/* path_table.c - the columns of creation paths. */
#include "tools/report/path_table.h"

#include "tools/report/counter_table.h"
#include "tools/report/json_parts.h"

static uint32_t path_of(const struct table *table, uint32_t row)
{
	return *(const uint32_t *)table_row(table, row);
}

static const char *name(const struct table *table, uint32_t row, char out[TABLE_TEXT])
{
	return path_text(out, TABLE_TEXT, table->of, path_of(table, row));
}

/* The stack that creates its tasks, from the outermost function on. */
static void put_stack(FILE *out, const struct path_rows *rows, uint32_t path)
{
	site_id call[PATH_CALLS];
	uint32_t n = path_calls(rows, path, call);

	if (!rows->summary->calls)
		return;
	fputs(",\"calls\":[", out);
	for (uint32_t i = n; i-- > 0;) {
		struct place place = rows_site(rows->summary->run, call[i]);

		fputs(i + 1 < n ? ",{" : "{", out);
		json_put_place(out, "name", &place);
		fputs("}", out);
	}
	fputs("]", out);
}

static void put_chain(FILE *out, const struct table *table, uint32_t row)
{
	const struct path_rows *rows = table->of;
	uint32_t chain[PATHS_DEEPEST], n = path_chain(rows, path_of(table, row), chain);

	fputc('[', out);
	for (uint32_t c = 0; c < n; c++) {
		fputs(c ? ",{" : "{", out);
		json_put_place(out, "name", path_code(rows, chain[c]));
		fprintf(out, ",\"recursive\":%s,\"guessed\":%s",
			path_is_recursive(rows, chain[c]) ? "true" : "false",
			rows->paths.path[chain[c]].guessed ? "true" : "false");
		put_stack(out, rows, chain[c]);
		fputs("}", out);
	}
	fputc(']', out);
}

static void put_counters(FILE *out, const struct table *table, uint32_t row)
{
	const struct path_rows *rows = table->of;
	uint32_t path = path_of(table, row);

	if (rows->by.counts)
		counters_put_json_row(out, rows->summary, &rows->by.counts[path],
				      rows->by.facts[path].n_tasks,
				      rows->by.breakdown.kind[path].work_ns);
}

/* ---- where figures are ---- */

static const void *facts(const struct table *table, uint32_t row)
{
	return &((const struct path_rows *)table->of)->by.facts[path_of(table, row)];
}

static const void *charge(const struct table *table, uint32_t row)
{
	return &((const struct path_rows *)table->of)->by.breakdown.kind[path_of(table, row)];
}

static const struct breakdown *breakdown(const struct table *table)
{
	return &((const struct path_rows *)table->of)->by.breakdown;
}

static uint64_t blocked_ns(const struct table *table, uint32_t row)
{
	return breakdown(table)->blocked_ns[path_of(table, row)];
}

static uint64_t runtime_ns(const struct table *table, uint32_t row)
{
	return breakdown(table)->runtime_ns[path_of(table, row)];
}

static uint64_t starved_ns(const struct table *table, uint32_t row)
{
	return breakdown(table)->starved_ns[path_of(table, row)];
}

static uint64_t tracer_ns(const struct table *table, uint32_t row)
{
	return breakdown(table)->tracer_ns[path_of(table, row)];
}

#define FACT(field) .within = facts, COLUMN_FIELD(struct kind_facts, field)
#define CHARGE(field) .type = COLUMN_NS, .within = charge, COLUMN_FIELD(struct charge, field)

static const struct column path_column[] = {
	{ "name", .type = COLUMN_TEXT, .text = name },
	{ "path", .only = FOR_JSON, .json = put_chain },
	{ "tasks", FACT(n_tasks) },
	{ "work_ns", CHARGE(work_ns) },
	{ "delay_ns", CHARGE(delay_ns) },
	{ "no_work_sched_ns", CHARGE(no_work_sched_ns) },
	{ "no_work_app_ns", CHARGE(no_work_app_ns) },
	{ "blocked_ns", .type = COLUMN_NS, .number = blocked_ns },
	{ "runtime_ns", .type = COLUMN_NS, .number = runtime_ns },
	{ "starved_ns", .type = COLUMN_NS, .number = starved_ns },
	{ "tracer_ns", .type = COLUMN_NS, .number = tracer_ns },
	{ "min_ns", .type = COLUMN_NS, FACT(min_ns) },
	{ "median_ns", .type = COLUMN_NS, FACT(median_ns) },
	{ "max_ns", .type = COLUMN_NS, FACT(max_ns) },
};

struct table path_table(const struct path_rows *rows)
{
	return (struct table){ .name = "paths",
			       TABLE_COLUMNS(path_column),
			       .of = rows,
			       .row = rows->row,
			       .row_bytes = sizeof(rows->row[0]),
			       .n = rows->n,
			       .members = put_counters };
}
