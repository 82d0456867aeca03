/* SPDX-License-Identifier: MIT */
/* tbb_fine.cc - a range cut down to single numbers.  FIXED: to a thousand of them. */
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include "fine.h"

int main()
{
	tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);

	tbb::parallel_for(
		tbb::blocked_range<int>(0, NUMBERS, GRAIN),
		[](const tbb::blocked_range<int> &range) {
			for (int i = range.begin(); i < range.end(); i++)
				count_to(300);
		},
		tbb::simple_partitioner());
	return 0;
}
