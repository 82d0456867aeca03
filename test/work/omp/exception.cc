/* SPDX-License-Identifier: MIT */
/* C++ exceptions thrown and caught inside tasks, through nested undeferred tasks' callers, and
 * inside a region: unwinding stays within one outlined function. */
#include <atomic>
#include <cstdio>
#include <stdexcept>

static std::atomic<long> n_caught, n_ends;

struct guard {
	~guard() { n_ends++; }
};

static void thrower(int i)
{
	guard g;

	if (i % 2)
		throw std::runtime_error("odd");
}

int main()
{
#pragma omp parallel
	{
		try {
			thrower(1);
		} catch (const std::exception &) {
		}
#pragma omp single
		for (int i = 0; i < 100; i++)
#pragma omp task if (i % 3)
		{
			try {
				thrower(i);
#pragma omp task
				try {
					guard g;
					throw i;
				} catch (int k) {
					n_caught += k;
				}
			} catch (const std::runtime_error &) {
				n_caught++;
			}
#pragma omp taskwait
		}
	}
	printf("caught %ld\n", n_caught.load());
	printf("tptrace-tasks 150\n");
	return n_caught != 50 + 2450;
}
