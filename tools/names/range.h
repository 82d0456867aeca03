/* SPDX-License-Identifier: MIT */
/*
 * range.h - what stands at which addresses of an ELF file: its units, functions or symbols.
 *
 * Only image.c calls it: ranges_add() all, ranges_sort(), then ranges_find().  All-zero is empty,
 * and free(ranges.range) is all there is to free.  Names are borrowed from the ELF file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end;
	const char *name; /* of a function or symbol */
	uint64_t die;	  /* of a function: the offset of its DIE */
	uint32_t number;  /* of a unit; of a symbol, how good it is */
};

struct ranges {
	struct range *range;
	size_t n, room;
};

/* Leaves out what the linker threw away, which begins at 0 or ends before it begins; and what
 * there's no memory for: it isn't known, then. */
void ranges_add(struct ranges *ranges, const struct range *range);

void ranges_sort(struct ranges *ranges); /* by start, then number, then the longest first */

/* The last one, in that order, of those that hold the address; NULL if none does.  Looks back only
 * over a few that have ended: ranges hardly ever lie in each other. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);
