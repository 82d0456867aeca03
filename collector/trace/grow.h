/* SPDX-License-Identifier: MIT */
/*
 * grow.h - arrays that grow: a pointer, and how many entries are in use, which are the owner's.
 *
 * How many there is room for follows from that number, the next power of two, so nobody keeps it.
 * An owner may use fewer entries later.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GROW_LEAST 16u

static inline uint64_t grow_room(uint64_t n)
{
	uint64_t room = GROW_LEAST;

	while (room < n)
		room *= 2;
	return room;
}

/* Makes room for so many entries behind the n of *array, a pointer, and zeroes them.  False without
 * memory: then nothing has changed. */
static inline bool grow(void *array, uint64_t n, uint64_t n_more, size_t entry_bytes)
{
	char **base = array;

	if (n == 0 || grow_room(n + n_more) > grow_room(n)) {
		char *more = realloc(*base, grow_room(n + n_more) * entry_bytes);

		if (!more)
			return false;
		*base = more;
	}
	memset(*base + n * entry_bytes, 0, n_more * entry_bytes);
	return true;
}
