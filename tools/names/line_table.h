/* SPDX-License-Identifier: MIT */
/* line_table.h - the rows of a unit's line table, which libdw sorts by address. */
#pragma once

#include <elfutils/libdw.h>
#include <stddef.h>

/* The number of rows before the first one at or after the address. */
size_t line_table_before(Dwarf_Lines *rows, size_t n_rows, Dwarf_Addr address);

/* The row that counts, as image_line() says; NULL if none. */
Dwarf_Line *line_table_row(Dwarf_Die *unit, Dwarf_Addr address, int is_begin);
