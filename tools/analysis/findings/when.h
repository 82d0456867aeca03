/* SPDX-License-Identifier: MIT */
/*
 * when.h - when something was, of the cells that the window is cut into: as the course is.
 */
#pragma once

#include "tools/analysis/course.h"

struct when {
	uint64_t cells[(COURSE_CELLS + 63) / 64]; /* a bit each */
};

static inline bool when_has(const struct when *when, uint32_t cell)
{
	return when->cells[cell / 64] >> cell % 64 & 1;
}

/* Whether there is any time in it. */
static inline bool when_is_any(const struct when *when)
{
	for (uint32_t i = 0; i < sizeof(when->cells) / sizeof(when->cells[0]); i++)
		if (when->cells[i])
			return true;
	return false;
}

static inline void when_join(struct when *to, const struct when *when)
{
	for (uint32_t i = 0; i < sizeof(when->cells) / sizeof(when->cells[0]); i++)
		to->cells[i] |= when->cells[i];
}

/* The cell of that instant of [begin, end). */
static inline uint32_t when_cell(uint64_t begin_ns, uint64_t end_ns, uint64_t ns)
{
	uint64_t all = end_ns - begin_ns;
	double part = ns > begin_ns && all ? (double)(ns - begin_ns) / (double)all : 0;
	uint32_t at = (uint32_t)(part * COURSE_CELLS);

	return at < COURSE_CELLS ? at : COURSE_CELLS - 1;
}

/* Adds [from, to) of the window [begin, end); nothing if it is empty. */
static inline void when_add(struct when *when, uint64_t begin_ns, uint64_t end_ns, uint64_t from_ns,
			    uint64_t to_ns)
{
	if (to_ns <= from_ns)
		return;
	for (uint32_t at = when_cell(begin_ns, end_ns, from_ns);
	     at <= when_cell(begin_ns, end_ns, to_ns - 1); at++)
		when->cells[at / 64] |= 1ull << at % 64;
}
