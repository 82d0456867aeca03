/* SPDX-License-Identifier: MIT */
/* map.c - a hash table with linear probing. */
#include "tools/base/map.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"

static uint32_t slot_of(const struct map *map, uint64_t key)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (map->n_slots - 1);

	while (map->used[at] && map->entry[at].key != key)
		at = (at + 1) & (map->n_slots - 1);
	return at;
}

uint64_t *map_find(const struct map *map, uint64_t key)
{
	if (map->n == 0)
		return NULL;
	uint32_t at = slot_of(map, key);

	return map->used[at] ? &map->entry[at].value : NULL;
}

static void map_grow(struct map *map)
{
	struct map old = *map;
	uint32_t n_slots = old.n_slots ? old.n_slots * 2 : 16;

	map->entry = xmalloc(n_slots * sizeof(*map->entry));
	map->used = xcalloc(n_slots, 1);
	map->n_slots = n_slots;
	for (uint32_t i = 0; i < old.n_slots; i++) {
		if (!old.used[i])
			continue;
		uint32_t at = slot_of(map, old.entry[i].key);

		map->used[at] = 1;
		map->entry[at] = old.entry[i];
	}
	free(old.entry);
	free(old.used);
}

uint64_t *map_put(struct map *map, uint64_t key)
{
	uint32_t at;

	if (map->n * 4 >= map->n_slots * 3)
		map_grow(map);
	at = slot_of(map, key);
	if (!map->used[at]) {
		map->used[at] = 1;
		map->entry[at] = (struct map_entry){ key, 0 };
		map->n++;
	}
	return &map->entry[at].value;
}

void map_free(struct map *map)
{
	free(map->entry);
	free(map->used);
	*map = (struct map){ 0 };
}

/* FNV-1a; the end of a text counts as well. */
uint64_t map_hash(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash * 0x100000001b3u;
}

void array_more(void *array, uint64_t *n_room, uint64_t n_wanted, size_t entry_bytes)
{
	void **base = array;
	uint64_t room = *n_room ? *n_room : 256;

	if (n_wanted > SIZE_MAX / 2 / entry_bytes)
		out_of_memory();
	while (room < n_wanted)
		room *= 2;
	*base = xrealloc(*base, room * entry_bytes);
	*n_room = room;
}
