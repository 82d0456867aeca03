/* SPDX-License-Identifier: MIT */
/* tables.c - the report's tables as rows of others. */
#include "tools/export/tables.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/summary/report_tables.h"
#include "tools/table/cell.h"

static enum sql_type type_of(const struct column *column)
{
	bool text = column->type == COLUMN_TEXT || column->type == COLUMN_CODE ||
		    column->type == COLUMN_PLACE;

	return text ? SQL_TEXT : column->type == COLUMN_REAL ? SQL_REAL : SQL_INTEGER;
}

const struct sql_column *tables_columns(const struct export_table *of, const struct table *report,
					struct sql_column room[SQL_COLUMNS])
{
	uint32_t n = 0;

	if (!of->open)
		return of->column;
	for (uint32_t c = 0; c < report->n_columns && n + 4 < SQL_COLUMNS; c++) {
		const struct column *column = &report->column[c];

		if (!column_is_for(column, FOR_SQL))
			continue;
		room[n++] = (struct sql_column){ column->key, .type = type_of(column) };
		if (column->type != COLUMN_PLACE)
			continue;
		room[n++] = (struct sql_column){ "file", .type = SQL_TEXT };
		room[n++] = (struct sql_column){ "line", .type = SQL_INTEGER };
		room[n++] = (struct sql_column){ "module", .type = SQL_TEXT };
	}
	room[n] = (struct sql_column){ 0 };
	return room;
}

static void put_sql_place(const struct rows_to *to, const struct place *place)
{
	to->text(to->context, place->name);
	to->text(to->context, place->file);
	if (place->file)
		to->integer(to->context, place->line);
	else
		to->null(to->context);
	to->text(to->context, place->module);
}

/* As JSON has it. */
static double rounded(double value, const char *format)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	return strtod(text, NULL);
}

static void put_sql_cell(const struct rows_to *to, const struct column *column,
			 const struct cell *cell)
{
	if (cell->is == CELL_NUMBER)
		to->integer(to->context, (int64_t)cell->number);
	else if (cell->is == CELL_REAL)
		to->real(to->context, rounded(cell->real, column->format));
	else if (cell->is == CELL_TEXT)
		to->text(to->context, cell->text);
	else if (cell->is == CELL_PLACE)
		put_sql_place(to, &cell->place);
	else
		to->null(to->context);
}

void tables_put(const struct export *export, const struct export_table *of,
		const struct table *report, const struct rows_to *to)
{
	struct cell cell;

	if (!of->open) {
		of->put(export, to);
		return;
	}
	for (uint32_t row = 0; row < report->n; row++) {
		if (!table_has(report, row))
			continue;
		for (uint32_t c = 0; c < report->n_columns; c++) {
			if (!column_is_for(&report->column[c], FOR_SQL))
				continue;
			table_cell(&cell, report, &report->column[c], row);
			put_sql_cell(to, &report->column[c], &cell);
		}
		to->end_row(to->context);
	}
}

/* ---- all tables ---- */

/* Of a worker: its strands that are exported. */
static void count_strands(struct table *workers, const struct export *export)
{
	const struct dag *dag = export->dag;
	uint64_t *n = xcalloc(dag->n_slots + 1ull, sizeof(*n));

	for (strand_id s = 0; s < dag->n_strands; s++)
		if (export_has(export, s))
			n[dag->strand[s].worker]++;
	workers->by = workers->own = n;
	workers->n = dag->n_slots;
}

static int put_report(const struct export *export, const struct report_table *of,
		      tables_writer *write, void *context)
{
	struct export_table to = { .name = of->name, .open = of->open };
	AT_END(table_close) struct table table;

	of->open(&table, export->summary);
	if (of->open == worker_table)
		count_strands(&table, export);
	return write(context, export, &to, &table);
}

static const struct sql_column meta_column[] = {
	{ "key", .type = SQL_TEXT },
	{ "value", .type = SQL_TEXT },
	{ 0 },
};

static void put_meta(const struct export *export, const struct rows_to *to)
{
	for (uint32_t i = 0; i < export->n_facts; i++) {
		to->text(to->context, export->fact[i].key);
		to->text(to->context, export->fact[i].value);
		to->end_row(to->context);
	}
}

int tables_each(const struct export *export, tables_writer *write, void *context)
{
	static const struct export_table meta = { "meta", meta_column, .put = put_meta };
	int error = write(context, export, &meta, NULL);

	for (const struct report_table *of = report_tables; of->name && !error; of++)
		error = put_report(export, of, write, context);
	for (const struct export_table *of = tables_of_run; of->name && !error; of++)
		error = write(context, export, of, NULL);
	return error;
}
