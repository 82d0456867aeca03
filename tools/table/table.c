/* SPDX-License-Identifier: MIT */
/* table.c - finds what is in a cell, and writes JSON and CSV. */
#include "tools/table/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/table/cell.h"
#include "tools/table/put.h"

static uint64_t field_of(const struct column *column, const char *from)
{
	uint64_t value = 0; /* little-endian, as all that tptrace runs on; all ones are no number */

	memcpy(&value, from + column->offset, column->bytes);
	return value == UINT64_MAX >> (64 - 8 * column->bytes) && column->bytes > 1 ? TABLE_UNKNOWN
										    : value;
}

/* What has its field; NULL: null. */
static const char *find_struct(const struct table *table, const struct column *column, uint32_t row)
{
	return column->within ? column->within(table, row) : table_row(table, row);
}

static void find_number(struct cell *cell, const struct table *table, const struct column *column,
			uint32_t row)
{
	const char *from = column->number ? NULL : find_struct(table, column, row);

	if (column->number)
		cell->number = column->number(table, row);
	else if (!from || (column->known && !*(const bool *)(from + column->known - 1)))
		cell->number = TABLE_UNKNOWN;
	else
		cell->number = field_of(column, from);
	cell->is = cell->number == TABLE_UNKNOWN ? CELL_NULL : CELL_NUMBER;
}

static void find_real(struct cell *cell, const struct table *table, const struct column *column,
		      uint32_t row)
{
	if (column->real)
		cell->real = column->real(table, row);
	else
		memcpy(&cell->real, find_struct(table, column, row) + column->offset,
		       sizeof(cell->real));
	cell->is = isfinite(cell->real) ? CELL_REAL : CELL_NULL;
}

static void find_text(struct cell *cell, const struct table *table, const struct column *column,
		      uint32_t row)
{
	const char *from = column->text ? NULL : find_struct(table, column, row);

	cell->text = NULL;
	if (column->text)
		cell->text = column->text(table, row, cell->room);
	else if (from && column->word)
		cell->text = column->word[field_of(column, from)];
	else if (from && column->bytes == sizeof(cell->text))
		memcpy(&cell->text, from + column->offset, sizeof(cell->text));
	else if (from)
		cell->text = from + column->offset;
	cell->is = cell->text && (cell->text[0] || !column->optional) ? CELL_TEXT : CELL_NULL;
}

void table_cell(struct cell *cell, const struct table *table, const struct column *column,
		uint32_t row)
{
	cell->is = CELL_NULL;
	if (column->has && !column->has(table, row))
		return;
	switch (column->type) {
	case COLUMN_REAL:
	case COLUMN_SHARE:
		find_real(cell, table, column, row);
		break;
	case COLUMN_TEXT:
		find_text(cell, table, column, row);
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

void table_put_json_place(struct json *to, const char *key, const struct place *place,
			  enum column_type type)
{
	json_text(to, key, place->name);
	json_text(to, "file", place->file);
	json_number(to, "line", place->line);
	if (type == COLUMN_PLACE)
		json_text(to, "module", place->module);
}

static void put_json_cell(struct json *to, const struct column *column, const struct cell *cell)
{
	if (cell->is == CELL_NUMBER && column->type == COLUMN_BOOL)
		json_bool(to, column->key, cell->number);
	else if (cell->is == CELL_NUMBER)
		json_number(to, column->key, cell->number);
	else if (cell->is == CELL_REAL)
		json_real(to, column->key, column->format, cell->real);
	else if (cell->is == CELL_PLACE)
		table_put_json_place(to, column->key, &cell->place, column->type);
	else
		json_text(to, column->key, cell->is == CELL_TEXT ? cell->text : NULL);
}

static void put_json_column(struct json *to, const struct table *table, const struct column *column,
			    uint32_t row)
{
	struct cell cell;

	if (!column_is_for(column, FOR_JSON) || (column->has && !column->has(table, row)))
		return;
	if (column->json) {
		column->json(to, column->key, table, row);
		return;
	}
	table_cell(&cell, table, column, row);
	if (cell.is != CELL_NULL || !column->optional)
		put_json_cell(to, column, &cell);
}

void table_put_json_row(struct json *to, const char *key, const struct table *table, uint32_t row)
{
	struct table below[TABLE_BELOW];

	json_open(to, key, '{');
	for (uint32_t c = 0; c < table->n_columns; c++)
		put_json_column(to, table, &table->column[c], row);
	for (int i = 0, n = table->below ? table->below(table, row, below) : 0; i < n; i++)
		table_put_json(to, &below[i]);
	if (table->members)
		table->members(to, table, row);
	json_close(to, '}');
}

void table_put_json(struct json *to, const struct table *table)
{
	json_open(to, table->name, '[');
	for (uint32_t row = 0; row < table->n; row++)
		if (table_has(table, row))
			table_put_json_row(to, NULL, table, row);
	json_close(to, ']');
}

/* ---- CSV ---- */

static void put_csv_cell(FILE *out, const struct column *column, const struct cell *cell)
{
	if (cell->is == CELL_NUMBER)
		fprintf(out, "%" PRIu64, cell->number);
	else if (cell->is == CELL_REAL)
		fprintf(out, column->format, cell->real);
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
