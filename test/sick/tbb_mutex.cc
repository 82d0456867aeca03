/* SPDX-License-Identifier: MIT */
/* tbb_mutex.cc - fills a histogram under a std::mutex.  FIXED: one for each thread. */
#include <mutex>
#include <oneapi/tbb/parallel_for.h>

#include "spin.h"

static std::mutex guard;

static void scan(int)
{
	spin_us(500);
#ifndef FIXED
	std::lock_guard<std::mutex> lock(guard);
#endif
	spin_us(2500);
}

int main()
{
	tbb::parallel_for(0, 120, scan, tbb::simple_partitioner());
	return 0;
}
