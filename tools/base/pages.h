/* SPDX-License-Identifier: MIT */
/*
 * pages.h - a large array of which few entries are in use at a time: only those have memory.
 *
 * Who needs an entry holds it, once or several times, and drops it as often.  A page of which no
 * entry is held goes to the next page that is needed, so that a walk through the array stays in
 * the cache.  What a page holds at first is not zeroed.  Used by one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PAGES_BITS 12 /* entries of a page, as a power of two */

struct pages {
	void **page;	  /* n; NULL: nothing of it is held */
	uint32_t *n_held; /* by page: how often its entries are held */
	uint64_t n;
	size_t entry_bytes;
	void *spare; /* pages that nobody holds; each begins with the next */
};

/* Of n_entries entries. */
void pages_open(struct pages *pages, uint64_t n_entries, size_t entry_bytes);
void pages_close(struct pages *pages); /* a zeroed one is fine */

/* A page for that entry. */
void pages_give(struct pages *pages, uint32_t i);
/* Nobody holds the entry's page. */
void pages_take(struct pages *pages, uint32_t i);

/* The entry, which is held. */
static inline void *pages_at(const struct pages *pages, uint32_t i)
{
	return (char *)pages->page[i >> PAGES_BITS] +
	       (i & ((1u << PAGES_BITS) - 1)) * pages->entry_bytes;
}

/* Holds the entry n times more, n > 0. */
static inline void *pages_hold(struct pages *pages, uint32_t i, uint32_t n)
{
	if (!pages->page[i >> PAGES_BITS])
		pages_give(pages, i);
	pages->n_held[i >> PAGES_BITS] += n;
	return pages_at(pages, i);
}

/* Drops it once. */
static inline void pages_drop(struct pages *pages, uint32_t i)
{
	if (--pages->n_held[i >> PAGES_BITS] == 0)
		pages_take(pages, i);
}
