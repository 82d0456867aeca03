/* SPDX-License-Identifier: MIT */
/* intern.c - a hash table of pairs, with open addressing. */
#include "tools/sample/intern.h"

#include <stdbool.h>
#include <stdlib.h>

#define SLOTS_LEAST 256u /* a power of two */

static uint32_t *intern_slot(const struct intern *intern, uint64_t a, uint32_t b)
{
	/* Fibonacci hashing: the upper bits are the good ones */
	uint32_t at = (uint32_t)((a ^ (uint64_t)b << 40) * 0x9e3779b97f4a7c15u >> 32);

	for (;; at++) {
		uint32_t *slot = &intern->slot[at & (intern->n_slots - 1)];
		const struct intern_pair *pair = &intern->pair[*slot - 1];

		if (!*slot || (pair->a == a && pair->b == b))
			return slot;
	}
}

/* At most half of the slots are in use; there are pairs for half of them. */
static bool intern_grow(struct intern *intern)
{
	uint32_t n_slots = intern->n_slots ? 2 * intern->n_slots : SLOTS_LEAST;
	struct intern_pair *pair = realloc(intern->pair, n_slots / 2 * sizeof(*pair));
	uint32_t *slot = pair ? calloc(n_slots, sizeof(*slot)) : NULL;

	if (pair)
		intern->pair = pair;
	if (!slot)
		return false;
	free(intern->slot);
	intern->slot = slot;
	intern->n_slots = n_slots;
	for (uint32_t i = 0; i < intern->n; i++)
		*intern_slot(intern, pair[i].a, pair[i].b) = i + 1;
	return true;
}

uint32_t intern_number(struct intern *intern, uint64_t a, uint32_t b, uint32_t most)
{
	uint32_t *slot;

	if (intern->n >= intern->n_slots / 2 && !intern_grow(intern))
		return INTERN_NONE;
	slot = intern_slot(intern, a, b);
	if (!*slot && intern->n >= most)
		return INTERN_NONE;
	if (!*slot) {
		intern->pair[intern->n] = (struct intern_pair){ a, b };
		*slot = ++intern->n;
	}
	return *slot - 1;
}

void intern_free(struct intern *intern)
{
	free(intern->pair);
	free(intern->slot);
	*intern = (struct intern){ 0 };
}
