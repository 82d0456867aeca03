/* SPDX-License-Identifier: MIT */
/* pool.c - what of a pool is off the hot path: new lists, and the shelf. */
#include "shims/common/pool.h"

#include <stdbool.h>

#include "preload/budget.h"
#include "preload/poison.h"

#define PIECE_BYTES (4096u - POOL_CHUNK_HEAD) /* of a chunk: given out at once */
#define RESERVES 4u			      /* chunks for whom the system has none */

static struct pool_record *shelf_take(struct pool *pool, uint32_t start)
{
	for (uint32_t i = 0; i < POOL_SHELF_LISTS; i++) {
		struct pool_record *_Atomic *place = &pool->shelf[(start + i) % POOL_SHELF_LISTS];

		if (atomic_load_explicit(place, memory_order_relaxed)) {
			struct pool_record *list =
				atomic_exchange_explicit(place, NULL, memory_order_acquire);

			if (list)
				return list;
		}
	}
	return NULL;
}

static bool shelf_put(struct pool *pool, uint32_t start, struct pool_record *list)
{
	for (uint32_t i = 0; i < POOL_SHELF_LISTS; i++) {
		struct pool_record *empty = NULL;

		if (atomic_compare_exchange_strong_explicit(
			    &pool->shelf[(start + i) % POOL_SHELF_LISTS], &empty, list,
			    memory_order_release, memory_order_relaxed)) /* to shelf_take() */
			return true;
	}
	return false;
}

static char *map_chunk(struct pool_list *list, uint32_t record_bytes)
{
	static _Alignas(POOL_CHUNK_HEAD) char reserve[RESERVES][POOL_CHUNK_BYTES];
	static _Atomic uint32_t n_taken;
	char *chunk = map_zeroed(POOL_CHUNK_BYTES);
	uint32_t n;

	if (!chunk && atomic_load(&n_taken) < RESERVES) {
		n = atomic_fetch_add(&n_taken, 1);
		chunk = n < RESERVES ? reserve[n] : NULL;
	}
	if (chunk) {
		list->rest = chunk + POOL_CHUNK_HEAD;
		list->n_left = (POOL_CHUNK_BYTES - POOL_CHUNK_HEAD) / record_bytes;
	}
	return chunk;
}

/* Links the next records of the chunk: pages that no task needs stay unwritten. */
static void cut_piece(struct pool_list *list, uint32_t record_bytes)
{
	uint32_t n = PIECE_BYTES / record_bytes;

	if (n > list->n_left)
		n = list->n_left;
	for (uint32_t i = n; i-- > 0;) {
		struct pool_record *record = (void *)(list->rest + i * record_bytes);

		record->next = list->first;
		list->first = record;
	}
	list->rest += n * record_bytes;
	list->n_left -= n;
	list->n = (int32_t)n;
}

void *pool_more(struct pool *pool, struct pool_list *list, uint32_t worker)
{
	char *chunk = NULL;

	list->first = shelf_take(pool, worker);
	list->n = POOL_CUT;
	if (list->first)
		return NULL;
	if (!list->n_left)
		chunk = map_chunk(list, pool->record_bytes);
	cut_piece(list, pool->record_bytes);
	return chunk;
}

void pool_less(struct pool *pool, struct pool_list *list, uint32_t worker)
{
	struct pool_record *last = list->first;

	for (int i = 1; i < POOL_CUT; i++)
		last = last->next;
	if (shelf_put(pool, worker, last->next)) {
		last->next = NULL;
		list->n = POOL_CUT;
	} else {
		list->n = 0; /* the shelf is full: ask again in a while */
	}
}
