/* SPDX-License-Identifier: MIT */
/* firstprivate C++ objects in a taskloop: GOMP_taskloop with a cpyfn, a copy a task. */
#include "copied.h"

int main()
{
	long n_torn = 0;

#pragma omp parallel
#pragma omp single
	for (int k = 0; k < 10; k++) {
		obj o(40 + k, 'a');
#pragma omp taskloop num_tasks(6) firstprivate(o) if (k % 2) shared(n_torn)
		for (long i = 0; i < 50; i++) {
			if (o.self != &o)
#pragma omp atomic
				n_torn++;
			sum += (long)o.text.size() * i;
		}
#pragma omp taskloop num_tasks(3) firstprivate(o)
		for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 50; i++)
			sum += (long)o.text.size() + (long)(i & 63);
	}
	printf("copies %ld ends %ld torn %ld sum %ld\n", n_copies.load(), n_ends.load(), n_torn,
	       sum.load());
	printf("tptrace-tasks 90\n");
	return n_torn != 0 || n_ends != n_copies + 10;
}
