/* SPDX-License-Identifier: MIT */
/*
 * pool.h - records that are taken on one worker and given back on another.
 *
 * Each worker has a list of free ones that nobody else touches.  Where one worker takes what
 * others give back, theirs grow; so a long list is cut, and what was cut off is put on a shelf,
 * where who has none looks.  A shelf has places for one list each, taken and filled by a single
 * exchange, so that no list is ever shared.
 *
 * The first word of a record is the pool's while it is free.  All-zero is an empty list, and but
 * for its bytes a pool.  Memory is never unmapped.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/session/ring.h"

#define POOL_CUT 128 /* records cut off at once, at least */
#define POOL_SHELF_LISTS 64u
#define POOL_CHUNK_BYTES (64u << 10) /* mapped at once, .. */
#define POOL_CHUNK_HEAD 64u	     /* .. of which these are for who maps it (aside_pool.c) */

struct pool_record {
	struct pool_record *next;
};

struct pool {
	uint32_t record_bytes;
	struct pool_record *_Atomic shelf[POOL_SHELF_LISTS];
};

/* A worker's own.  It stays when the thread exits and another takes its place. */
struct pool_list {
	struct pool_record *first;
	int32_t n;	 /* at least; lists on the shelf may be longer than POOL_CUT */
	uint32_t n_left; /* records at `rest` */
	char *rest;	 /* mapped and not written to yet */
};

/* A shim with something of its own for each worker, such as lists of pools, adds itself. */
enum pool_user { POOL_QTH, POOL_MTH, POOL_ABT, POOL_TOY, POOL_OMP, POOL_TBB, POOL_USERS };
_Static_assert(POOL_USERS <= WORKER_PLACES, "a worker has room for each");

/* Hot path: the shim's WORKER_PLACE_BYTES of the worker: zero at first, and in a forked child. */
static inline void *pool_place(struct worker *worker, enum pool_user user)
{
	return worker->place[user];
}

/* Another list for one that is empty: from the shelf, else from the system: the chunk that it had
 * to map, or NULL.  `worker` is the index.  Keeps errno. */
void *pool_more(struct pool *pool, struct pool_list *list, uint32_t worker)
	__attribute__((visibility("hidden")));
/* Cuts off the list's older half. */
void pool_less(struct pool *pool, struct pool_list *list, uint32_t worker)
	__attribute__((visibility("hidden")));

/* Hot path: a record from the worker's list; NULL if there is no memory. */
static inline void *pool_take(struct pool *pool, struct pool_list *list, uint32_t worker)
{
	struct pool_record *record;

	if (__builtin_expect(!list->first, 0))
		pool_more(pool, list, worker);
	record = list->first;
	if (__builtin_expect(!record, 0))
		return NULL;
	list->first = record->next;
	list->n--;
	return record;
}

/* Hot path: a record to the worker's list. */
static inline void pool_give(struct pool *pool, struct pool_list *list, uint32_t worker,
			     void *record)
{
	((struct pool_record *)record)->next = list->first;
	list->first = record;
	if (__builtin_expect(++list->n >= 2 * POOL_CUT, 0))
		pool_less(pool, list, worker);
}
