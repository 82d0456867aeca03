// SPDX-License-Identifier: MIT
// Algorithms within algorithms, four deep.
#include <functional>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include "threads.hh"

static std::atomic<long> sum;

static long leaf(int n)
{
	return tbb::parallel_reduce(
		tbb::blocked_range<int>(0, n), 0L,
		[](const tbb::blocked_range<int> &r, long s) {
			for (int i = r.begin(); i != r.end(); i++)
				s += i;
			return s;
		},
		std::plus<long>());
}

static void all()
{
	std::vector<int> v{ 10, 20, 30, 40 };

	tbb::parallel_for(0, 6, [&](int) {
		tbb::task_group group;

		for (int i = 0; i < 3; i++)
			group.run([&] {
				tbb::parallel_invoke(
					[&] {
						tbb::parallel_for_each(
							v, [](int n) { sum += leaf(n); });
					},
					[&] { sum += leaf(50); });
			});
		group.wait();
	});
	std::printf("sum %ld\n", sum.load());
}

int main()
{
	in_arena(all);
}
