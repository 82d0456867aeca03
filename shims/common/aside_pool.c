/* SPDX-License-Identifier: MIT */
/* aside_pool.c - takes back the asides of calls that longjmp() left. */
#include "shims/common/aside_pool.h"

#include <pthread.h>
#include <sys/mman.h>

#include "preload/budget.h"
#include "preload/poison.h"

#define LOOK_FIRST 16u	 /* chunks: so many calls in one another are nothing strange */
#define LOOK_FOUND 1024u /* one in so many is worth a look at all; .. */
#define LOOK_LATER 64u	 /* .. else one waits until there are so much more: a 64th */
#define PLACE_BYTES 16u	 /* calls are made from a stack that is aligned */

struct aside_chunk {
	struct aside_chunk *next;
	_Alignas(POOL_CHUNK_HEAD) char record[];
};

/* A look at all asides of calls that were made from the thread's own stack. */
struct look {
	struct aside_list *list;
	uint32_t record_bytes;
	uintptr_t low, end;    /* of that stack, .. */
	uintptr_t lowest;      /* .. of a call's */
	struct aside **newest; /* at each place, from the end down */
	uint64_t n, n_taken;
};

static void look_at_each(struct look *look, void (*use)(struct look *look, struct aside *aside))
{
	for (struct aside_chunk *chunk = look->list->chunks; chunk; chunk = chunk->next) {
		const char *last = (char *)chunk + POOL_CHUNK_BYTES - look->record_bytes;

		for (char *at = chunk->record; at <= last; at += look->record_bytes) {
			struct aside *aside = (struct aside *)at;
			uintptr_t stack = (uintptr_t)aside->stack;

			if (stack > look->low && stack <= look->end)
				use(look, aside);
		}
	}
}

static void find_stack(struct look *look)
{
	pthread_attr_t attr;
	void *at = NULL;
	size_t bytes = 0;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (pthread_attr_getstack(&attr, &at, &bytes) == 0) {
		look->low = (uintptr_t)at;
		look->end = (uintptr_t)at + bytes;
	}
	pthread_attr_destroy(&attr);
}

static struct aside **newest_at(const struct look *look, const struct aside *aside)
{
	return &look->newest[(look->end - (uintptr_t)aside->stack) / PLACE_BYTES];
}

static void find_lowest(struct look *look, struct aside *aside)
{
	if (look->n++ == 0 || (uintptr_t)aside->stack < look->lowest)
		look->lowest = (uintptr_t)aside->stack;
}

static void find_newest(struct look *look, struct aside *aside)
{
	struct aside **newest = newest_at(look, aside);

	if (!*newest || (*newest)->age < aside->age)
		*newest = aside;
}

/*
 * A call that may return has our return address below its stack, and is the last one that was made
 * from there.  (That is true as well where a fiber has its stack inside of this one.)
 */
static void take_lost(struct look *look, struct aside *aside)
{
	if (aside->stack[-1] == ASIDE_RETURN(aside) && (*newest_at(look, aside))->age == aside->age)
		return;
	aside->stack = NULL;
	((struct pool_record *)aside)->next = look->list->spare.first;
	look->list->spare.first = (struct pool_record *)aside;
	look->list->spare.n++;
	look->n_taken++;
}

/* Whether it was worth it. */
static bool take_back(struct aside_list *list, uint32_t record_bytes)
{
	struct look look = { .list = list, .record_bytes = record_bytes };
	size_t bytes;

	find_stack(&look);
	look_at_each(&look, find_lowest);
	bytes = ((look.end - look.lowest) / PLACE_BYTES + 1) * sizeof(*look.newest);
	look.newest = look.n ? map_zeroed(bytes) : NULL;
	if (!look.newest)
		return false;
	look_at_each(&look, find_newest);
	look_at_each(&look, take_lost);
	munmap(look.newest, bytes);
	return look.n_taken > look.n / LOOK_FOUND;
}

void aside_more(struct pool *pool, struct aside_list *list, uint32_t worker)
{
	struct aside_chunk *chunk;

	if (!list->n_look)
		list->n_look = LOOK_FIRST;
	if (list->n_chunks >= list->n_look && !list->spare.n_left &&
	    !take_back(list, pool->record_bytes))
		list->n_look = list->n_chunks + list->n_chunks / LOOK_LATER + 1;
	if (list->spare.first)
		return;
	chunk = (struct aside_chunk *)pool_more(pool, &list->spare, worker);
	if (chunk) {
		chunk->next = list->chunks;
		list->chunks = chunk;
		list->n_chunks++;
	}
	if (!list->spare.first)
		record_lost_call();
}
