// SPDX-License-Identifier: MIT
// parallel_for_each over random access, forward and input iterators, with and without a feeder.
#include <atomic>
#include <cstdio>
#include <forward_list>
#include <iterator>
#include <sstream>
#include <oneapi/tbb/parallel_for_each.h>
#include <vector>
#include "threads.hh"

static std::atomic<long> sum;

static void all()
{
	std::vector<int> v(500, 3);
	std::forward_list<int> list(300, 5);
	std::istringstream stream("1 2 3 4 5 6 7 8 9 10");

	tbb::parallel_for_each(v, [](int i) { sum += i; });
	tbb::parallel_for_each(list.begin(), list.end(), [](int i) { sum += i; });
	tbb::parallel_for_each(std::istream_iterator<int>(stream), std::istream_iterator<int>(),
			       [](int i) { sum += i; });
	std::printf("sum %ld\n", sum.load());
	std::vector<int> trees{ 7, 8 };
	tbb::parallel_for_each(trees, [](int depth, tbb::feeder<int> &feeder) {
		sum++;
		if (depth > 0) {
			feeder.add(depth - 1);
			feeder.add(depth - 1);
		}
	});
	std::printf("trees %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
