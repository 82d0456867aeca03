/* SPDX-License-Identifier: MIT */
/* tbb_unshared.cc - a loop in an arena of one worker.  FIXED: of two. */
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include "spin.h"

#ifdef FIXED
#define SLOTS 2
#else
#define SLOTS 1
#endif

int main()
{
	tbb::task_arena arena(SLOTS);

	/* both workers are there */
	tbb::parallel_for(0, 20, [](int) { spin_us(500); });
	arena.execute([] { tbb::parallel_for(0, 300, [](int) { spin_us(1000); }); });
}
