/* SPDX-License-Identifier: MIT */
/*
 * point.h - names the instants at which worker, collector and successor change chunks and blocks.
 *
 * Each lies behind a store that the other side reads.  A test stops or kills there who passes; in
 * all other builds they are nothing (test/kill/points.py,
 * test/race/chunk_race.c, test/unit/chunk_test.c).
 */
#pragma once

#ifdef TEST_POINTS
void test_point(const char *name);
#else
static inline void test_point(const char *name)
{
	(void)name;
}
#endif
