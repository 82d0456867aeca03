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

/* As JSON has it. */
static double rounded(double value, const char *format)
{
	char text[64];

	snprintf(text, sizeof(text), format, value);
	return strtod(text, NULL);
}

/* As many as tables_columns() has of that column. */
static uint32_t values_of(struct value *value, const struct column *column,
			  const struct cell *cell)
{
	const struct place *place = &cell->place;

	if (cell->is == CELL_PLACE) {
		value[0] = value_text(place->name);
		value[1] = value_text(place->file);
		value[2] = value_known(place->line, place->file);
		value[3] = value_text(place->module);
		return 4;
	}
	if (cell->is == CELL_REAL)
		*value = (struct value){ VALUE_REAL,
					 .real = rounded(cell->real, column->format) };
	else if (cell->is == CELL_TEXT)
		*value = value_text(cell->text);
	else
		*value = value_known(cell->number, cell->is == CELL_NUMBER);
	return 1;
}

static void put_report_row(const struct table *report, uint32_t row, const struct rows_to *to)
{
	struct cell cell[SQL_COLUMNS];
	struct value value[SQL_COLUMNS];
	uint32_t n = 0;

	for (uint32_t c = 0; c < report->n_columns; c++)
		if (column_is_for(&report->column[c], FOR_SQL)) {
			table_cell(&cell[n], report, &report->column[c], row);
			n += values_of(&value[n], &report->column[c], &cell[n]);
		}
	to->row(to->context, value, n);
}

void tables_put(const struct export *export, const struct export_table *of,
		const struct table *report, const struct rows_to *to)
{
	if (!of->open)
		of->put(export, to);
	for (uint32_t row = 0; of->open && row < report->n; row++)
		if (table_has(report, row))
			put_report_row(report, row, to);
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
	for (uint32_t i = 0; i < export->n_facts; i++)
		ROW(to, value_text(export->fact[i].key), value_text(export->fact[i].value));
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
