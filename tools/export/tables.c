/* SPDX-License-Identifier: MIT */
/* tables.c - the report's tables as rows of others. */
#include "tools/export/tables.h"

#include <stdlib.h>

static enum sql_type type_of(const struct column *column)
{
	bool text = column->type == COLUMN_TEXT || column->type == COLUMN_CODE ||
		    column->type == COLUMN_PLACE;

	return text ? SQL_TEXT : column->type == COLUMN_REAL ? SQL_REAL : SQL_INTEGER;
}

const struct sql_column *tables_columns(const struct export *export,
					const struct export_table *table,
					struct sql_column room[SQL_COLUMNS])
{
	struct table of;
	uint32_t n = 0;

	if (!table->report)
		return table->column;
	of = table->report(export->summary);
	for (uint32_t c = 0; c < of.n_columns && n + 4 < SQL_COLUMNS; c++) {
		const struct column *column = &of.column[c];

		if (!column_is_for(column, FOR_SQL))
			continue;
		room[n++] = (struct sql_column){ column->key, type_of(column) };
		if (column->type != COLUMN_PLACE)
			continue;
		room[n++] = (struct sql_column){ "file", SQL_TEXT };
		room[n++] = (struct sql_column){ "line", SQL_INTEGER };
		room[n++] = (struct sql_column){ "module", SQL_TEXT };
	}
	room[n] = (struct sql_column){ 0 };
	return room;
}

void tables_put_place(const struct rows_to *to, const struct place *place)
{
	to->text(to->context, place->name);
	to->text(to->context, place->file);
	if (place->file)
		to->integer(to->context, place->line);
	else
		to->null(to->context);
	to->text(to->context, place->module);
}

/* With the decimals that JSON has. */
static double rounded(double value, int decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	return strtod(text, NULL);
}

static void put_cell(const struct rows_to *to, const struct column *column, const struct cell *cell)
{
	if (cell->is == CELL_NUMBER)
		to->integer(to->context, (int64_t)cell->number);
	else if (cell->is == CELL_REAL)
		to->real(to->context, rounded(cell->real, column->decimals));
	else if (cell->is == CELL_TEXT)
		to->text(to->context, cell->text);
	else if (cell->is == CELL_PLACE)
		tables_put_place(to, &cell->place);
	else
		to->null(to->context);
}

void tables_put_rows(const struct rows_to *to, const struct table *table)
{
	struct cell cell;

	for (uint32_t row = 0; row < table->n; row++) {
		if (!table_has(table, row))
			continue;
		for (uint32_t c = 0; c < table->n_columns; c++) {
			if (!column_is_for(&table->column[c], FOR_SQL))
				continue;
			table_cell(&cell, table, &table->column[c], row);
			put_cell(to, &table->column[c], &cell);
		}
		to->end_row(to->context);
	}
}

int tables_put(const struct export *export, const struct export_table *table,
	       const struct rows_to *to)
{
	struct table report;

	if (table->put)
		return table->put(export, to);
	report = table->report(export->summary);
	tables_put_rows(to, &report);
	return 0;
}
