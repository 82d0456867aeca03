/* SPDX-License-Identifier: MIT */
/* table.c - finds what is in a cell, and writes JSON and CSV. */
#include "tools/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/table/put.h"

static uint64_t field_of(const struct column *column, const char *from)
{
	uint64_t value = 0; /* little-endian, as all that tptrace runs on; all ones are no number */

	memcpy(&value, from + column->offset, column->bytes);
	return value == UINT64_MAX >> (64 - 8 * column->bytes) && column->bytes > 1 ? TABLE_UNKNOWN
										    : value;
}

static void find_number(struct cell *cell, const struct table *table, const struct column *column,
			uint32_t row)
{
	const char *from = column->within ? column->within(table, row) : table_row(table, row);

	if (column->number)
		cell->number = column->number(table, row);
	else if (!from || (column->known && !*(const bool *)(from + column->known - 1)))
		cell->number = TABLE_UNKNOWN;
	else
		cell->number = field_of(column, from);
	cell->is = cell->number == TABLE_UNKNOWN ? CELL_NULL : CELL_NUMBER;
}

void table_cell(struct cell *cell, const struct table *table, const struct column *column,
		uint32_t row)
{
	cell->is = CELL_NULL;
	switch (column->type) {
	case COLUMN_REAL:
	case COLUMN_SHARE:
		cell->real = column->real(table, row);
		cell->is = isfinite(cell->real) ? CELL_REAL : CELL_NULL;
		break;
	case COLUMN_TEXT:
		cell->text = column->text(table, row, cell->room);
		cell->is = cell->text ? CELL_TEXT : CELL_NULL;
		break;
	case COLUMN_CODE:
	case COLUMN_PLACE:
		cell->place = column->place(table, row);
		cell->is = CELL_PLACE;
		break;
	default:
		find_number(cell, table, column, row);
	}
}

/* ---- JSON ---- */

static void put_json_place(FILE *out, const struct column *column, const struct place *place)
{
	put_string(out, place->name);
	fputs(",\"file\":", out);
	put_string(out, place->file);
	fprintf(out, ",\"line\":%u", place->line);
	if (column->type == COLUMN_CODE)
		return;
	fputs(",\"module\":", out);
	put_string(out, place->module);
}

static void put_json_cell(FILE *out, const struct column *column, const struct cell *cell)
{
	switch (cell->is) {
	case CELL_NUMBER:
		if (column->type == COLUMN_BOOL)
			fputs(cell->number ? "true" : "false", out);
		else
			fprintf(out, "%" PRIu64, cell->number);
		break;
	case CELL_REAL:
		fprintf(out, "%.*f", column->decimals, cell->real);
		break;
	case CELL_TEXT:
		put_string(out, cell->text);
		break;
	case CELL_PLACE:
		put_json_place(out, column, &cell->place);
		break;
	default:
		fputs("null", out);
	}
}

void table_put_json_row(FILE *out, const struct table *table, uint32_t row)
{
	struct table below[TABLE_BELOW];
	const char *comma = "";
	struct cell cell;

	fputc('{', out);
	for (uint32_t c = 0; c < table->n_columns; c++) {
		const struct column *column = &table->column[c];

		if (!column_is_for(column, FOR_JSON))
			continue;
		fprintf(out, "%s\"%s\":", comma, column->key);
		comma = ",";
		if (column->json) {
			column->json(out, table, row);
			continue;
		}
		table_cell(&cell, table, column, row);
		put_json_cell(out, column, &cell);
	}
	for (int i = 0, n = table->below ? table->below(table, row, below) : 0; i < n; i++) {
		fputc(',', out);
		table_put_json(out, &below[i]);
	}
	if (table->members)
		table->members(out, table, row);
	fputc('}', out);
}

void table_put_json(FILE *out, const struct table *table)
{
	const char *comma = "";

	fprintf(out, "\"%s\":[", table->name);
	for (uint32_t row = 0; row < table->n; row++) {
		if (!table_has(table, row))
			continue;
		fputs(comma, out);
		table_put_json_row(out, table, row);
		comma = ",";
	}
	fputc(']', out);
}

/* ---- CSV ---- */

static void put_csv_cell(FILE *out, const struct column *column, const struct cell *cell)
{
	if (cell->is == CELL_NUMBER)
		fprintf(out, "%" PRIu64, cell->number);
	else if (cell->is == CELL_REAL)
		fprintf(out, "%.*f", column->decimals, cell->real);
	else if (cell->is == CELL_TEXT)
		put_quoted(out, cell->text);
}

/* Its columns' keys, or a row. */
static void put_csv_line(FILE *out, const struct table *table, const char *path, bool header,
			 uint32_t row)
{
	struct cell cell;
	bool first = !path;

	if (path && header)
		fputs("file", out);
	else if (path)
		put_quoted(out, path);
	for (uint32_t c = 0; c < table->n_columns; c++) {
		const struct column *column = &table->column[c];

		if (!column_is_for(column, FOR_CSV))
			continue;
		fputs(first ? "" : ",", out);
		first = false;
		if (header && column->quoted)
			put_quoted(out, column->key);
		else if (header)
			fputs(column->key, out);
		if (header)
			continue;
		table_cell(&cell, table, column, row);
		put_csv_cell(out, column, &cell);
	}
	fputc('\n', out);
}

void table_put_csv(FILE *out, const struct table *table, const char *path, bool header)
{
	if (header)
		put_csv_line(out, table, path, true, 0);
	for (uint32_t row = 0; row < table->n; row++)
		if (table_has(table, row))
			put_csv_line(out, table, path, false, row);
}
