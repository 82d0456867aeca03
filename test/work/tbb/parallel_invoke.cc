// SPDX-License-Identifier: MIT
// parallel_invoke of two up to ten functions, and quicksort by it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_sort.h>
#include <vector>
#include "threads.hh"

static std::atomic<long> sum;

static void sort(int *begin, int *end)
{
	if (end - begin < 100)
		return std::sort(begin, end);
	int pivot = begin[(end - begin) / 2];
	int *middle = std::partition(begin, end, [=](int x) { return x < pivot; });
	int *high = std::partition(middle, end, [=](int x) { return x == pivot; });

	tbb::parallel_invoke([=] { sort(begin, middle); }, [=] { sort(high, end); });
}

static void all()
{
	auto f = [] { sum++; };
	std::vector<int> a(5000);
	unsigned x = 1;

	tbb::parallel_invoke(f, f);
	tbb::parallel_invoke(f, f, f);
	tbb::parallel_invoke(f, f, f, f, f);
	tbb::parallel_invoke(f, f, f, f, f, f, f, f, f, f);
	std::printf("sum %ld\n", sum.load());
	for (int &v : a)
		v = (int)((x = x * 1103515245u + 12345u) >> 16);
	std::vector<int> b = a;
	sort(a.data(), a.data() + a.size());
	std::printf("sorted %d\n", std::is_sorted(a.begin(), a.end()));
	tbb::parallel_sort(b);
	std::printf("same %d\n", a == b);
}

int main()
{
	in_arena(all);
}
