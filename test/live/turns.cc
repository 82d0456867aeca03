// SPDX-License-Identifier: MIT
// turns.cc N - libgomp and oneTBB use the same two workers in turn, N times each.
#include <cstdio>
#include <cstdlib>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

static volatile double sink;

static void work(int n)
{
	double x = n;

	for (int i = 0; i < 20000; i++)
		x = x * 1.0000001 + 1;
	sink = x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	oneapi::tbb::global_control two(oneapi::tbb::global_control::max_allowed_parallelism, 2);

	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
#pragma omp single
		for (int k = 0; k < 64; k++) {
#pragma omp task firstprivate(k)
			work(k);
		}
		oneapi::tbb::parallel_for(0, 64, work);
	}
	puts("done");
	return 0;
}
