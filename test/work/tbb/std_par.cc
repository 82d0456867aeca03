// SPDX-License-Identifier: MIT
// The parallel algorithms of the C++ library, which uses oneTBB.
#include <algorithm>
#include <execution>
#include <numeric>
#include "threads.hh"

static void all()
{
	std::vector<int> v(20000);
	std::vector<long> out(v.size());
	std::atomic<long> sum{ 0 };
	unsigned x = 1;

	for (int &i : v)
		i = (int)((x = x * 1103515245u + 12345u) >> 20);
	std::sort(std::execution::par, v.begin(), v.end());
	std::printf("sorted %d\n", std::is_sorted(v.begin(), v.end()));
	std::for_each(std::execution::par, v.begin(), v.end(), [&](int i) { sum += i; });
	long again = std::reduce(std::execution::par, v.begin(), v.end(), 0L);
	std::printf("sums %d\n", again == sum);
	std::transform(std::execution::par_unseq, v.begin(), v.end(), out.begin(),
		       [](int i) { return 2L * i; });
	std::inclusive_scan(std::execution::par, out.begin(), out.end(), out.begin());
	std::printf("scan %d\n", out.back() == 2 * again);
	std::printf("least %d\n",
		    *std::min_element(std::execution::par, v.begin(), v.end()) == v[0]);
}

int main()
{
	in_arena(all);
}
