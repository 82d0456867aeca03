/* SPDX-License-Identifier: MIT */
/* table.c - a hash table with linear probing. */
#include "tools/base/table.h"

#include <stdlib.h>

static uint32_t slot_of(const struct table *table, uint64_t key)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (table->n_slots - 1);

	while (table->used[at] && table->entry[at].key != key)
		at = (at + 1) & (table->n_slots - 1);
	return at;
}

uint64_t *table_find(const struct table *table, uint64_t key)
{
	if (table->n == 0)
		return NULL;
	uint32_t at = slot_of(table, key);

	return table->used[at] ? &table->entry[at].value : NULL;
}

static bool table_grow(struct table *table)
{
	struct table old = *table;
	uint32_t n_slots = old.n_slots ? old.n_slots * 2 : 16;

	table->entry = malloc(n_slots * sizeof(*table->entry));
	table->used = calloc(n_slots, 1);
	table->n_slots = n_slots;
	if (!table->entry || !table->used) {
		free(table->entry);
		free(table->used);
		*table = old;
		return false;
	}
	for (uint32_t i = 0; i < old.n_slots; i++) {
		if (!old.used[i])
			continue;
		uint32_t at = slot_of(table, old.entry[i].key);

		table->used[at] = 1;
		table->entry[at] = old.entry[i];
	}
	free(old.entry);
	free(old.used);
	return true;
}

uint64_t *table_put(struct table *table, uint64_t key)
{
	uint32_t at;

	if (table->n * 4 >= table->n_slots * 3 && !table_grow(table))
		return NULL;
	at = slot_of(table, key);
	if (!table->used[at]) {
		table->used[at] = 1;
		table->entry[at] = (struct table_entry){ key, 0 };
		table->n++;
	}
	return &table->entry[at].value;
}

void table_free(struct table *table)
{
	free(table->entry);
	free(table->used);
	*table = (struct table){ 0 };
}

/* FNV-1a; the end of a text counts as well. */
uint64_t table_hash(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash * 0x100000001b3u;
}

bool array_more(void *array, uint64_t *n_room, uint64_t n_wanted, size_t entry_bytes)
{
	void **base = array;
	uint64_t room = *n_room ? *n_room : 256;
	void *more;

	if (n_wanted > SIZE_MAX / 2 / entry_bytes)
		return false;
	while (room < n_wanted)
		room *= 2;
	more = realloc(*base, room * entry_bytes);
	if (!more)
		return false;
	*base = more;
	*n_room = room;
	return true;
}
