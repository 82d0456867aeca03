/* SPDX-License-Identifier: MIT */
/* line_table.c - finds rows of a unit's line table by their address. */
#include "tools/names/line_table.h"

size_t line_table_before(Dwarf_Lines *rows, size_t n_rows, Dwarf_Addr address)
{
	size_t low = 0, high = n_rows;
	Dwarf_Addr at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (!dwarf_lineaddr(dwarf_onesrcline(rows, middle), &at) && at < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The first row of the function that begins at the address; NULL if none.  Rows of the function
 * before it may stand there, too, where no padding follows that one: they begin no statement.
 */
static Dwarf_Line *first_row(Dwarf_Lines *rows, size_t n_rows, Dwarf_Addr address)
{
	Dwarf_Line *first = NULL;
	Dwarf_Addr at;
	bool is_end, is_statement;

	for (size_t i = line_table_before(rows, n_rows, address); i < n_rows; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);

		if (dwarf_lineaddr(row, &at) || at != address)
			break;
		if (dwarf_lineendsequence(row, &is_end) || is_end)
			continue;
		if (!dwarf_linebeginstatement(row, &is_statement) && is_statement)
			return row;
		if (!first)
			first = row;
	}
	return first;
}

Dwarf_Line *line_table_row(Dwarf_Die *unit, Dwarf_Addr address, int is_begin)
{
	Dwarf_Lines *rows;
	Dwarf_Line *row;
	size_t n_rows, i;
	bool is_end;

	if (dwarf_getsrclines(unit, &rows, &n_rows))
		return NULL;
	row = is_begin ? first_row(rows, n_rows, address) : NULL;
	if (row)
		return row;
	i = line_table_before(rows, n_rows, address + 1);
	row = i ? dwarf_onesrcline(rows, i - 1) : NULL;
	return row && !dwarf_lineendsequence(row, &is_end) && !is_end ? row : NULL;
}
