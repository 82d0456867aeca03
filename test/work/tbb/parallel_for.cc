// SPDX-License-Identifier: MIT
// parallel_for with every partitioner, over ranges of one, two and three dimensions, and steps.
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include "threads.hh"

static std::atomic<long> sum;

struct adder {
	void operator()(const tbb::blocked_range<int> &range) const
	{
		long s = 0;

		for (int i = range.begin(); i != range.end(); i++)
			s += i;
		sum += s;
	}
};

static void all()
{
	tbb::affinity_partitioner affinity;
	adder add;
	tbb::blocked_range<int> range(0, 3000, 7);

	tbb::parallel_for(range, add);
	tbb::parallel_for(range, add, tbb::auto_partitioner());
	tbb::parallel_for(range, add, tbb::simple_partitioner());
	tbb::parallel_for(range, add, tbb::static_partitioner());
	for (int i = 0; i < 5; i++)
		tbb::parallel_for(range, add, affinity);
	std::printf("1d %ld\n", sum.load());
	tbb::parallel_for(tbb::blocked_range2d<int>(0, 50, 0, 60), [](const auto &r) {
		sum += (long)(r.rows().size() * r.cols().size());
	});
	tbb::parallel_for(tbb::blocked_range3d<int>(0, 20, 0, 10, 0, 10), [](const auto &r) {
		sum += (long)(r.pages().size() * r.rows().size() * r.cols().size());
	});
	tbb::parallel_for(0, 1000, 3, [](int i) { sum += i; });
	tbb::parallel_for(0, 0, [](int i) { sum += i; });
	tbb::parallel_for(5, 6, [](int i) { sum += i; });
	std::printf("all %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
