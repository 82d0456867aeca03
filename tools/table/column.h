/* SPDX-License-Identifier: MIT */
/*
 * column.h - the functions of columns (table.h), each of one expression.
 *
 *	CELL(uint64_t, each_ns, struct lock, its->ns / its->n)
 *
 * Its row is `its`, or what CELL_OF() names; a text may be written to `room`.
 */
#pragma once

#include "tools/table/table.h"

#define CELL(result, name, type, value) CELL_OF(result, name, type, table_row(table, row), value)
#define CELL_OF(result, name, type, of_what, value)                                                \
	static result name(const struct table *table, uint32_t row)                                \
	{                                                                                          \
		const type *its __attribute__((unused)) = of_what;                                 \
                                                                                                   \
		return value;                                                                      \
	}
#define CELL_TEXT(name, type, value)                                                               \
	static const char *name(const struct table *table, uint32_t row, char room[TABLE_TEXT])    \
	{                                                                                          \
		const type *its __attribute__((unused)) = table_row(table, row);                   \
                                                                                                   \
		(void)room;                                                                        \
		return value;                                                                      \
	}
