// SPDX-License-Identifier: MIT
// collaborative_call_once: threads that come too late help with the first one's tasks.
#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <functional>
#include "threads.hh"

static void all()
{
	std::atomic<long> sum{ 0 };
	tbb::collaborative_once_flag flag;
	long value = 0;

	tbb::parallel_for(0, 100, [&](int) {
		tbb::collaborative_call_once(flag, [&] {
			value = tbb::parallel_reduce(
				tbb::blocked_range<int>(0, 1000), 0L,
				[](const tbb::blocked_range<int> &r, long s) {
					return s + (long)r.size();
				},
				std::plus<long>());
		});
		sum += value;
	});
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
