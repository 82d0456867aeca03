/* SPDX-License-Identifier: MIT */
/* 400 task functions, from one template: GOMP_task of as many kinds, 3 tasks each. */
#include <atomic>
#include <cstdio>

static std::atomic<long> sum;

template <int N> struct kinds {
	static void run()
	{
		for (int i = 0; i < 3; i++)
#pragma omp task
			sum += N;
		kinds<N - 1>::run();
	}
};

template <> struct kinds<0> {
	static void run() {}
};

int main()
{
#pragma omp parallel
#pragma omp single
	kinds<400>::run();
	printf("sum %ld\n", sum.load());
	printf("tptrace-tasks 1200\n");
	return sum != 3 * 80200;
}
