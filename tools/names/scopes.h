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

#define SCOPES_NONE UINT32_MAX

/* All DIEs of a unit that may hold functions, in the order that they have there. */
struct scopes {
	struct scopes *next;
	Dwarf_CU *unit;
	struct scope {
		Dwarf_Die die;
		uint32_t around; /* the index of the one that it is in; SCOPES_NONE: the unit */
	} * scope;
	uint32_t n, room;
};

/* Those of the unit, from *all or listed now; NULL: without memory.  libdw's own way up,
 * dwarf_getscopes_die(), goes through the whole unit each time. */
struct scopes *scopes_of(struct scopes **all, Dwarf_CU *unit);
void scopes_free(struct scopes *all);

#define SCOPES_MOST 64u /* functions inlined in each other; deeper ones are taken for the last */

/* The functions that were inlined at the address in that function, the outermost first: how many.
 */
uint32_t scopes_inlined(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die inlined[SCOPES_MOST]);

/* Where an inlined function was called, and where a function is declared.  NULL: not known. */
const char *scopes_call(Dwarf_Die *inlined, uint32_t *line);
const char *scopes_declared(Dwarf_Die *function, uint32_t *line);

/* Of a lambda that has no name of its own: the function around it.  NULL: it is none. */
const char *scopes_owner(struct scopes **all, Dwarf_Die *function);

/*
 * Where the user's code begins that a method of one of oneTBB's task classes runs: an argument of
 * the class's template.  NULL: not such a class, or not known.
 */
const char *scopes_code(struct scopes **all, Dwarf_Die *method, uint32_t *line);

/* Whether a file is of a library and not of the program. */
bool scopes_is_header(const char *file);
