/* SPDX-License-Identifier: MIT */
/* As gcc 4.4 to 4.8 compiled it: GOMP_parallel_start, the master's own call, GOMP_parallel_end;
 * nested too. */
#include <omp.h>
#include <stdio.h>

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned n_threads);
void GOMP_parallel_end(void);
void GOMP_barrier(void);

struct args {
	long n, n_after, inner;
};

static void inner(void *data)
{
	struct args *a = data;

	__sync_fetch_and_add(&a->inner, 1);
}

static void outlined(void *data)
{
	struct args *a = data;

	__sync_fetch_and_add(&a->n, 1 + omp_get_num_threads());
	GOMP_barrier();
	__sync_fetch_and_add(&a->n_after, a->n);
	GOMP_parallel_start(inner, a, 2);
	inner(a);
	GOMP_parallel_end();
}

int main(void)
{
	long sum = 0, after = 0, in = 0;

	omp_set_dynamic(0);
	omp_set_max_active_levels(2);
	for (int k = 0; k < 20; k++) {
		struct args a = { 0, 0, 0 };
		unsigned n = k % 4 + 1; /* a team of one, too */

		GOMP_parallel_start(outlined, &a, n);
		outlined(&a);
		GOMP_parallel_end();
		sum += a.n;
		after += a.n_after;
		in += a.inner;
	}
	printf("sum %ld after %ld inner %ld\n", sum, after, in);
	printf("tptrace-tasks 0\n");
	return sum != 5 * (2 + 6 + 12 + 20) || after != 5 * (2 + 12 + 36 + 80) || in != 100;
}
