/* SPDX-License-Identifier: MIT */
/* Tasks over std::vector, std::function and lambdas, recursive: GOMP_task from C++ templates. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

static int n_tasks;

template <typename F> static void spawn(F f)
{
#pragma omp atomic
	n_tasks++;
#pragma omp task firstprivate(f)
	f();
}

static void sort(std::vector<int> &v, size_t begin, size_t end)
{
	if (end - begin < 64) {
		std::sort(v.begin() + begin, v.begin() + end);
		return;
	}
	size_t mid = begin + (end - begin) / 2;

	spawn([&v, begin, mid] { sort(v, begin, mid); });
	spawn(std::function<void()>([&v, mid, end] { sort(v, mid, end); }));
#pragma omp taskwait
	std::inplace_merge(v.begin() + begin, v.begin() + mid, v.begin() + end);
}

int main()
{
	std::vector<int> v(20000);
	unsigned x = 1;

	for (int &e : v)
		e = (x = x * 1103515245 + 12345) >> 8;
#pragma omp parallel
#pragma omp single
	sort(v, 0, v.size());
	std::vector<int> first(v.begin(), v.begin() + 3);
	printf("sorted %d first %d %d %d tasks %d\n", std::is_sorted(v.begin(), v.end()), first[0],
	       first[1], first[2], n_tasks);
	printf("tptrace-tasks %d\n", n_tasks);
	return !std::is_sorted(v.begin(), v.end());
}
