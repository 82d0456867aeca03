/* SPDX-License-Identifier: MIT */
/* counter_table.c - a row of the profile has a line for each of its counters. */
#include "tools/report/counter_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/units.h"
#include "tools/table/fit.h"
#include "tools/table/put.h"

#define COUNTER_COLUMNS 24 /* of its name, .. */
#define NAME_COLUMNS 12	   /* .. or less, so that the row's has so many */
#define VALUE_COLUMNS 11
#define VALUES 3

static const char *name_of(const struct summary *summary, uint32_t i)
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

static void put_line(const struct table_lines *lines, const char *counter,
		     char value[VALUES][UNITS_COUNTER])
{
	fputs("  ", lines->out);
	fprintf(lines->out, "%*s", lines->counter - fit_cut(lines->out, counter, lines->counter),
		"");
	for (int i = 0; i < VALUES; i++)
		fprintf(lines->out, "%*s", VALUE_COLUMNS, value[i]);
	fputc('\n', lines->out);
}

static void put_counter(const struct table_lines *lines, const struct profile_row *row, uint32_t i)
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
	put_line(lines, name_of(lines->summary, i), value);
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

static void put_row(const struct table_lines *lines, const struct profile_row *row)
{
	double ipc = counted_ipc(&row->counts, lines->roles);
	char value[VALUES][UNITS_COUNTER] = { "", "", "" };
	bool first = true;

	for (uint32_t i = 0; i < lines->summary->defs->n_counters; i++) {
		if (!row->counts.sum[i])
			continue;
		put_name(lines, row, first);
		put_counter(lines, row, i);
		first = false;
	}
	if (ipc > 0) {
		snprintf(value[0], UNITS_COUNTER, "%.2f", ipc);
		put_name(lines, row, first);
		put_line(lines, "instructions a cycle", value);
	}
}

static bool has_counts(const struct profile_row *row)
{
	for (uint32_t i = 0; i < WIRE_COUNTERS; i++)
		if (row->counts.sum[i])
			return true;
	return false;
}

void counter_table(FILE *out, const struct summary *summary, const struct profile *profile,
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
			put_row(&lines, &profile->row[i]);
		else
			profile_add(&rest, &profile->row[i]);
	}
	if (n > look->n_most) {
		snprintf(rest.label, sizeof(rest.label), "(%u more)", n - look->n_most);
		put_row(&lines, &rest);
	}
	if (n == 0)
		fputs(" all are 0\n", out);
}

/* ---- JSON ---- */

static void put_ratio(FILE *out, const char *key, double value, double by)
{
	if (by > 0)
		fprintf(out, ",\"%s\":%.6g", key, value / by);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void put_figures(FILE *out, uint64_t sum, uint64_t n_tasks, uint64_t work_ns)
{
	fprintf(out, "\"total\":%" PRIu64, sum);
	put_ratio(out, "per_task", (double)sum, (double)n_tasks);
	put_ratio(out, "per_work_s", (double)sum * 1e9, (double)work_ns);
}

static void put_ipc(FILE *out, const struct summary *summary, const struct counts *counts)
{
	double ipc = counted_ipc(counts, roles_of(summary));

	if (ipc > 0)
		fprintf(out, ",\"ipc\":%.4f", ipc);
}

void counters_put_json(FILE *out, const struct summary *summary)
{
	struct counts all = { 0 };

	for (uint32_t k = 0; summary->counts && k < summary->dag->n_kinds; k++)
		counted_add(&all, &summary->counts[k]);
	fputs(",\"counters\":[", out);
	for (uint32_t i = 0; i < summary->defs->n_counters; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		put_string(out, name_of(summary, i));
		fputs(",\"unit\":", out);
		put_string(out, summary->defs->counter[i].unit);
		fputc(',', out);
		put_figures(out, all.sum[i], summary->n_tasks, summary->breakdown.total.work_ns);
		fputs("}", out);
	}
	fputs("],\"counters_missing\":", out);
	put_string(out, defs_meta(summary->defs, "counters_missing"));
	put_ipc(out, summary, &all);
}

void counters_put_json_row(FILE *out, const struct summary *summary, const struct counts *counts,
			   uint64_t n_tasks, uint64_t work_ns)
{
	if (!counters_any(summary))
		return;
	fputs(",\"counters\":{", out);
	for (uint32_t i = 0; i < summary->defs->n_counters; i++) {
		fputs(i ? "," : "", out);
		put_string(out, name_of(summary, i));
		fputs(":{", out);
		put_figures(out, counts->sum[i], n_tasks, work_ns);
		fputs("}", out);
	}
	fputs("}", out);
	put_ipc(out, summary, counts);
}
