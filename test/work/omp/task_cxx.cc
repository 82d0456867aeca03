/* SPDX-License-Identifier: MIT */
/* firstprivate C++ objects, copies and destructions counted: GOMP_task with a cpyfn. */
// not-on: gcc-on-libomp
#include "copied.h"

int main()
{
	long n_torn = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 200; i++) {
		obj o(40 + i % 7, (char)('a' + i % 26));
#pragma omp task firstprivate(o, i) if (i % 3) shared(n_torn)
		{
			if (o.self != &o || o.text != std::string(40 + i % 7, 'a' + i % 26))
#pragma omp atomic
				n_torn++;
			sum += (long)o.text.size() * o.text[0];
		}
	}
	/* each task: one copy and its end, beside the 200 objects of the loop */
	printf("copies %ld ends %ld torn %ld sum %ld\n", n_copies.load(), n_ends.load(), n_torn,
	       sum.load());
	printf("tptrace-tasks 200\n");
	return n_copies != 200 || n_ends != 400 || n_torn;
}
