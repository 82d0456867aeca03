/* SPDX-License-Identifier: MIT */
/* Entry points that no compiler calls, or none for C: GOMP_parallel_loop_static, and the locks of
 * Fortran, omp_set_lock_, omp_test_lock_, omp_set_nest_lock_ and their like. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_loop_static(void (*fn)(void *), void *data, unsigned n_threads, long start,
			       long end, long incr, long chunk, unsigned flags);
bool GOMP_loop_static_next(long *begin, long *end);
void GOMP_loop_end_nowait(void);
void omp_init_lock_(int *lock);
void omp_set_lock_(int *lock);
int omp_test_lock_(int *lock);
void omp_unset_lock_(int *lock);
void omp_destroy_lock_(int *lock);
void omp_init_nest_lock_(void **lock);
void omp_set_nest_lock_(void **lock);
int omp_test_nest_lock_(void **lock);
void omp_unset_nest_lock_(void **lock);
void omp_destroy_nest_lock_(void **lock);

static int lock;
static void *nest;

static void body(void *data)
{
	long begin, end, *sum = data;

	while (GOMP_loop_static_next(&begin, &end))
		for (long i = begin; i < end; i++) {
			omp_set_lock_(&lock);
			*sum += i;
			omp_unset_lock_(&lock);
			omp_set_nest_lock_(&nest);
			sum[1] += omp_test_nest_lock_(&nest);
			omp_unset_nest_lock_(&nest);
			omp_unset_nest_lock_(&nest);
		}
	GOMP_loop_end_nowait();
}

int main(void)
{
	long sum[2] = { 0 };

	omp_init_lock_(&lock);
	omp_init_nest_lock_(&nest);
	for (int k = 0; k < 5; k++)
		GOMP_parallel_loop_static(body, sum, k, 0, 100, 1, k, 0);
	omp_set_lock_(&lock);
	sum[1] += omp_test_lock_(&lock);
	omp_unset_lock_(&lock);
	omp_destroy_lock_(&lock);
	omp_destroy_nest_lock_(&nest);
	printf("sum %ld depth %ld\n", sum[0], sum[1]);
	printf("tptrace-tasks 0\n");
	return sum[0] != 5 * 4950 || sum[1] != 1000;
}
