/* SPDX-License-Identifier: MIT */
/*
 * map.h - a map from a 64-bit key to a 64-bit value, and arrays that grow.
 *
 * A zeroed map is empty.  Key 0 is fine.  One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key, value;
};

struct map {
	struct map_entry *entry; /* open addressing; n_slots, a power of two */
	uint8_t *used;
	uint32_t n, n_slots;
};

/* Where the key's value is; NULL if it has none. */
uint64_t *map_find(const struct map *map, uint64_t key);

/* Where the key's value is, made 0 if it had none. */
uint64_t *map_put(struct map *map, uint64_t key);

void map_free(struct map *map);

/* A key of texts: begin with MAP_HASH, and go on with what that returned.  NULL is as good as "".
 */
#define MAP_HASH 0xcbf29ce484222325u
uint64_t map_hash(uint64_t hash, const char *text);
/* Likewise, of numbers. */
static inline uint64_t map_hash_number(uint64_t hash, uint64_t number)
{
	return (hash ^ number) * 0x9e3779b97f4a7c15u;
}

/*
 * Makes room for n_wanted entries in a malloc'ed array; *n_room is how many there is room for.
 * New room is not zeroed, and is not touched: pages that are never written cost nothing.
 */
void array_more(void *array, uint64_t *n_room, uint64_t n_wanted, size_t entry_bytes);
static inline void array_grow(void *array, uint64_t *n_room, uint64_t n_wanted, size_t entry_bytes)
{
	if (n_wanted > *n_room)
		array_more(array, n_room, n_wanted, entry_bytes);
}

/* Adds a value to an array of n entries, with room for n_room; where it is now. */
#define ARRAY_ADD(array, n, n_room, ...)                                                           \
	({                                                                                         \
		const __typeof__(*(array)) added_ = __VA_ARGS__;                                   \
                                                                                                   \
		array_grow(&(array), &(n_room), (uint64_t)(n) + 1, sizeof(*(array)));              \
		(array)[n] = added_;                                                               \
		&(array)[(n)++];                                                                   \
	})
