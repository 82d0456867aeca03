/* SPDX-License-Identifier: MIT */
/* counter_table.c - a row of the profile has a line for each of its counters. */
#include "tools/summary/counter_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/base/xalloc.h"
#include "tools/summary/report_tables.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"

#define COUNTER_COLUMNS 24 /* of its name, .. */
#define NAME_COLUMNS 12	   /* .. or less, so that the row's has so many */
#define VALUE_COLUMNS 11
#define VALUES 3

static const char *counter_name(const struct summary *summary, uint32_t i)
{
	const char *name = summary->defs->counter[i].name;

	return name ? name : "?";
}

static bool is_time(const struct summary *summary, uint32_t i)
{
	const char *unit = summary->defs->counter[i].unit;

	return unit && strcmp(unit, "ns") == 0;
}

static struct counted_roles roles_of(const struct summary *summary)
{
	const char *name[WIRE_COUNTERS];

	for (uint32_t i = 0; i < summary->defs->n_counters; i++)
		name[i] = summary->defs->counter[i].name;
	return counted_roles_of(name, summary->defs->n_counters);
}

bool counters_any(const struct summary *summary)
{
	return summary->defs->n_counters > 0;
}

void counters_put_missing(FILE *out, const struct summary *summary)
{
	const char *missing = defs_meta(summary->defs, "counters_missing");
	const char *threads = defs_meta(summary->defs, "uncounted_threads");

	if (missing) {
		fputs("not counted: ", out);
		put_text(out, missing);
		fputc('\n', out);
	}
	if (threads)
		fprintf(out, "%llu threads counted nothing: no memory, or no PAPI event set\n",
			strtoull(threads, NULL, 10));
}

/* ---- text ---- */

struct table_lines {
	FILE *out;
	const struct summary *summary;
	struct counted_roles roles;
	int name, counter; /* columns of the row's name, and of the counter's */
};

static void put_counter_line(const struct table_lines *lines, const char *counter,
			     char value[VALUES][UNITS_COUNTER])
{
	fputs("  ", lines->out);
	fprintf(lines->out, "%*s", lines->counter - fit_cut(lines->out, counter, lines->counter),
		"");
	for (int i = 0; i < VALUES; i++)
		fprintf(lines->out, "%*s", VALUE_COLUMNS, value[i]);
	fputc('\n', lines->out);
}

static void put_counter_value(const struct table_lines *lines, const struct profile_row *row,
			      uint32_t i)
{
	bool time = is_time(lines->summary, i);
	double sum = (double)row->counts.sum[i];
	char value[VALUES][UNITS_COUNTER] = { "", "-", "-" };

	units_counter(value[0], time, sum);
	if (row->n_tasks)
		units_counter(value[1], time, sum / (double)row->n_tasks);
	if (row->charge.work_ns && time)
		snprintf(value[2], UNITS_COUNTER, "%.1f %%",
			 100 * sum / (double)row->charge.work_ns);
	else if (row->charge.work_ns)
		units_counter(value[2], false, sum / (double)row->charge.work_ns * 1e9);
	put_counter_line(lines, counter_name(lines->summary, i), value);
}

static void put_name(const struct table_lines *lines, const struct profile_row *row, bool first)
{
	char name[sizeof(row->label) + sizeof(row->place) + 2];
	int used = 0;

	snprintf(name, sizeof(name), "%s%s%s", row->label, row->place[0] ? "  " : "", row->place);
	if (first)
		used = fit_cut(lines->out, name, lines->name);
	fprintf(lines->out, "%*s", lines->name - used, "");
}

static void put_counters_of(const struct table_lines *lines, const struct profile_row *row)
{
	double ipc = counted_ipc(&row->counts, lines->roles);
	char value[VALUES][UNITS_COUNTER] = { "", "", "" };
	bool first = true;

	for (uint32_t i = 0; i < lines->summary->defs->n_counters; i++) {
		if (!row->counts.sum[i])
			continue;
		put_name(lines, row, first);
		put_counter_value(lines, row, i);
		first = false;
	}
	if (ipc > 0) {
		snprintf(value[0], UNITS_COUNTER, "%.2f", ipc);
		put_name(lines, row, first);
		put_counter_line(lines, "instructions a cycle", value);
	}
}

static bool has_counts(const struct profile_row *row)
{
	for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
		if (row->counts.sum[i])
			return true;
	return false;
}

void counters_put(FILE *out, const struct summary *summary, const struct profile *profile,
		  const struct look *look)
{
	struct table_lines lines = { .out = out, .summary = summary, .roles = roles_of(summary) };
	int names = (int)look->width - 2 - VALUES * VALUE_COLUMNS;
	struct profile_row rest = { 0 };
	uint32_t n = 0;

	lines.counter =
		names < COUNTER_COLUMNS + NAME_COLUMNS ? names - NAME_COLUMNS : COUNTER_COLUMNS;
	lines.name = names - lines.counter;
	fprintf(out, "%-*s  %-*s%*s%*s%*s\n", lines.name, profile_by_name[profile->by],
		lines.counter, "counter", VALUE_COLUMNS, "total", VALUE_COLUMNS, "per task",
		VALUE_COLUMNS, "per s work");
	for (uint32_t i = 0; i < profile->n; i++) {
		if (!has_counts(&profile->row[i]))
			continue;
		if (n++ < look->n_most)
			put_counters_of(&lines, &profile->row[i]);
		else
			profile_add(&rest, &profile->row[i]);
	}
	if (n > look->n_most) {
		snprintf(rest.label, sizeof(rest.label), "(%u more)", n - look->n_most);
		put_counters_of(&lines, &rest);
	}
	if (n == 0)
		fputs(" all are 0\n", out);
}

/* ---- data ---- */

/* What one counter counted in a kind, a path, or all tasks. */
struct counter_row {
	uint32_t kind; /* UINT32_MAX: all */
	const char *name, *unit;
	uint64_t total, n_tasks, work_ns;
};

CELL(double, per_task, struct counter_row,
     its->n_tasks ? (double)its->total / (double)its->n_tasks : (double)NAN)

CELL(double, per_work_s, struct counter_row,
     its->work_ns ? (double)its->total * 1e9 / (double)its->work_ns : (double)NAN)

#define COUNTED(field) COLUMN_FIELD(struct counter_row, field)
#define COUNTED_FIRST 3 /* columns before the total: whose it is */

static const struct column counter_column[] = {
	{ "kind", .only = FOR_SQL, COUNTED(kind) },
	{ "name", .type = COLUMN_TEXT, COUNTED(name) },
	{ "unit", .type = COLUMN_TEXT, COUNTED(unit) },
	{ "total", COUNTED(total) },
	{ "per_task", .type = COLUMN_REAL, .real = per_task, .format = "%.6g" },
	{ "per_work_s", .type = COLUMN_REAL, .real = per_work_s, .format = "%.6g" },
};

static struct table table_of(struct counter_row *row, uint32_t n)
{
	return (struct table){ .name = "counters",
			       TABLE_COLUMNS(counter_column),
			       TABLE_ROWS(row, n) };
}

static void fill_rows(struct counter_row *row, const struct summary *summary,
		      const struct counts *counts, uint64_t n_tasks, uint64_t work_ns)
{
	for (uint32_t i = 0; i < summary->defs->n_counters; i++)
		row[i] = (struct counter_row){ UINT32_MAX,
					       counter_name(summary, i),
					       summary->defs->counter[i].unit,
					       counts->sum[i],
					       n_tasks,
					       work_ns };
}

double counters_ipc(const struct summary *summary, const struct counts *counts)
{
	double ipc = counted_ipc(counts, roles_of(summary));

	return ipc > 0 ? ipc : (double)NAN;
}

static void put_ipc(struct json *to, const struct summary *summary, const struct counts *counts)
{
	double ipc = counters_ipc(summary, counts);

	if (isfinite(ipc))
		json_real(to, "ipc", "%.4f", ipc);
}

void counters_put_json(struct json *to, const struct summary *summary)
{
	struct counter_row row[WIRE_COUNTERS];
	struct table table = table_of(row, summary->defs->n_counters);
	struct counts all = { 0 };

	for (uint32_t k = 0; summary->counts && k < summary->dag->n_kinds; k++)
		counted_add(&all, &summary->counts[k]);
	fill_rows(row, summary, &all, summary->n_tasks, summary->breakdown.total.work_ns);
	table_put_json(to, &table);
	json_text(to, "counters_missing", defs_meta(summary->defs, "counters_missing"));
	put_ipc(to, summary, &all);
}

void counters_put_json_row(struct json *to, const struct summary *summary,
			   const struct counts *counts, uint64_t n_tasks, uint64_t work_ns)
{
	struct counter_row row[WIRE_COUNTERS];
	struct table table = table_of(row, summary->defs->n_counters);

	if (!counters_any(summary))
		return;
	fill_rows(row, summary, counts, n_tasks, work_ns);
	table.column += COUNTED_FIRST;
	table.n_columns -= COUNTED_FIRST;
	json_open(to, "counters", '{');
	for (uint32_t i = 0; i < table.n; i++)
		table_put_json_row(to, row[i].name, &table, i);
	json_close(to, '}');
	put_ipc(to, summary, counts);
}

void counter_table(struct table *table, const struct summary *summary)
{
	uint32_t n = summary->counts ? summary->defs->n_counters : 0;
	uint32_t n_kinds = n ? summary->dag->n_kinds : 0;
	struct counter_row *row = xcalloc((uint64_t)n * n_kinds + 1, sizeof(*row));

	for (uint32_t k = 0; k < n_kinds; k++) {
		fill_rows(&row[k * n], summary, &summary->counts[k], summary->facts[k].n_tasks,
			  summary->breakdown.kind[k].work_ns);
		for (uint32_t i = 0; i < n; i++)
			row[k * n + i].kind = k;
	}
	*table = table_of(row, n * n_kinds);
	table->own = row;
}
