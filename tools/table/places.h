/* SPDX-License-Identifier: MIT */
/* places.h - where code is, as reports name it.  Strings are borrowed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct place {
	const char *name; /* never NULL */
	const char *file; /* NULL if not known */
	uint32_t line;
	uint32_t last_line; /* of more than one; else 0 */
	const char *module; /* NULL if not known */
	uint64_t offset;    /* in the module, as addr2line wants it; 0: not known */
};

/* "name, file:line", or "name, module+0xoffset", as far as it is known; what is too long is cut out
 * of the name.  Returns out. */
char *place_text(char *out, size_t room, const struct place *place);
/* Their order; 0 if they are one place. */
int place_compare(const struct place *a, const struct place *b);

/* "file:line", "file:line-last", "module+0xoffset", the module, or "".  Returns out. */
char *place_where(char *out, size_t room, const struct place *place);
