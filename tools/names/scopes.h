/* SPDX-License-Identifier: MIT */
/*
 * scopes.h - what DWARF says around a function's code: what was inlined, and whose code it runs.
 *
 * Only image.c calls it.  Strings are libdw's.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define SCOPES_MOST 64u /* functions inlined in each other; deeper ones are taken for the last */

/* The functions that were inlined at the address in that function, the outermost first: how many.
 */
uint32_t scopes_inlined(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die inlined[SCOPES_MOST]);

/* Where an inlined function was called, and where a function is declared.  NULL: not known. */
const char *scopes_call(Dwarf_Die *inlined, uint32_t *line);
const char *scopes_declared(Dwarf_Die *function, uint32_t *line);

/* Of a lambda that has no name of its own: the function around it.  NULL: it is none. */
const char *scopes_owner(Dwarf_Die *function);

/*
 * Where the user's code begins that a method of one of oneTBB's task classes runs: an argument of
 * the class's template.  NULL: not such a class, or not known.
 */
const char *scopes_code(Dwarf_Die *method, uint32_t *line);

/* Whether a file is of a library and not of the program. */
bool scopes_is_header(const char *file);
