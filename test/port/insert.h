/* SPDX-License-Identifier: MIT */
/* insert.h - sorts few values: what the leaves of sort.c do, here and of test/bench/bots. */
#pragma once

static inline void insert(unsigned *from, long n)
{
	for (long i = 1; i < n; i++) {
		unsigned value = from[i];
		long to = i;

		for (; to > 0 && from[to - 1] > value; to--)
			from[to] = from[to - 1];
		from[to] = value;
	}
}
