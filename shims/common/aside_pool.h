/* SPDX-License-Identifier: MIT */
/*
 * aside_pool.h - memory of asides (aside.h).
 *
 * A worker has the free ones of a pool; records of that begin with a struct aside.  The aside of a
 * call that never returns, after longjmp(), is taken back once there are many: aside_more().
 */
#pragma once

#include "preload/record.h"
#include "shims/common/aside.h"
#include "shims/common/pool.h"

/* A worker's own, all-zero at first. */
struct aside_list {
	struct pool_list spare;
	struct aside_chunk *chunks; /* all that were mapped for it, .. */
	uint32_t n_chunks;
	uint32_t n_look; /* .. and so many, and one looks for lost calls */
};

/* What lies below the stack of a call as long as it may return. */
#if IN_ASSEMBLY
extern const char aside_returned[] CALL_HIDDEN;
#define ASIDE_RETURN(aside) ((uintptr_t)aside_returned)
#else
#define ASIDE_RETURN(aside) ((uintptr_t)(aside))
#endif

/* Where none is free: has one there, of a lost call or new.  Else there is no memory, which is
 * counted as a lost call. */
void aside_more(struct pool *pool, struct aside_list *list, uint32_t worker) CALL_HIDDEN;

/* Hot path: the free one, for the call that is made next. */
static inline void *aside_take(struct aside_list *list, const struct worker *worker,
			       void *(*back)(struct aside *aside, void *returned))
{
	struct pool_record *record = list->spare.first;
	struct aside *aside = (struct aside *)record;

	list->spare.first = record->next;
	list->spare.n--;
	aside->back = back;
	aside->age = atomic_load_explicit(&worker->head, memory_order_relaxed);
	return aside;
}

/* The same; NULL as aside_more() says. */
static inline void *aside_open(struct pool *pool, struct aside_list *list, struct worker *worker,
			       void *(*back)(struct aside *aside, void *returned))
{
	if (__builtin_expect(!list->spare.first, 0))
		aside_more(pool, list, worker->index);
	return __builtin_expect(list->spare.first != NULL, 1) ? aside_take(list, worker, back)
							      : NULL;
}

/* Hot path: its call is over. */
static inline void aside_close(struct pool *pool, struct aside_list *list, struct worker *worker,
			       struct aside *aside)
{
	aside->stack = NULL;
	pool_give(pool, &list->spare, worker->index, aside);
}
