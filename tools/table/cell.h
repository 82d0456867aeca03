/* SPDX-License-Identifier: MIT */
/* cell.h - a table as its writers see it: what is in each row's columns. */
#pragma once

#include "tools/table/table.h"

/* What is in a row's column. */
struct cell {
	enum { CELL_NULL, CELL_NUMBER, CELL_REAL, CELL_TEXT, CELL_PLACE } is;
	uint64_t number;
	double real;
	const char *text;
	struct place place;
	char room[TABLE_TEXT];
};
void table_cell(struct cell *cell, const struct table *table, const struct column *column,
		uint32_t row);

static inline bool table_has(const struct table *table, uint32_t row)
{
	return !table->is_row || table->is_row(table, row);
}

static inline bool column_is_for(const struct column *column, unsigned what)
{
	return column->key && (!column->only || column->only & what);
}
