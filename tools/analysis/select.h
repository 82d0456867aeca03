/* SPDX-License-Identifier: MIT */
/*
 * select.h - which part of the window is analysed: stretches of time, each of one phase.
 *
 * The stretches are in order and do not overlap; times are ns since the window began.  Where a
 * function takes a `const struct select *`, NULL is all of the window.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct select_span {
	uint64_t from_ns, to_ns; /* from < to */
	uint64_t before_ns;	 /* selected before `from` */
	uint32_t row;		 /* the phase: its number in struct phases */
};

struct select {
	struct select_span *span;
	uint32_t n;
	uint64_t room;
	uint64_t total_ns;
	uint32_t n_rows; /* phases that spans may be of */
	bool part;	 /* somebody asked for a part: what did nothing in it does not count */
};

/* Adds a stretch behind the others; an empty one is none. */
void select_add(struct select *select, uint64_t from_ns, uint64_t to_ns, uint32_t row);
void select_free(struct select *select); /* a zeroed one is fine */

/* How much of the time before that instant is selected. */
uint64_t select_before(const struct select *select, uint64_t ns);

/* The first stretch that ends after that instant; select->n if there is none. */
uint32_t select_first(const struct select *select, uint64_t ns);

/* How much is selected of [start, end). */
static inline uint64_t select_within(const struct select *select, uint64_t start, uint64_t end)
{
	return select ? select_before(select, end) - select_before(select, start) : end - start;
}

/* Whether something at that instant, or from start to end, counts. */
static inline bool select_has(const struct select *select, uint64_t start, uint64_t end)
{
	if (!select || !select->part)
		return true;
	return select_within(select, start, end > start ? end : start + 1) > 0;
}
