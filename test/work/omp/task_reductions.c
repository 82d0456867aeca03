/* SPDX-License-Identifier: MIT */
/*
 * reduction(task, ..) of a region, of loops and of sections, GOMP_parallel_reductions,
 * GOMP_loop_start, GOMP_loop_ull_start, GOMP_loop_ordered_start, GOMP_sections2_start,
 * GOMP_workshare_task_reduction_unregister; and of a taskgroup,
 * GOMP_taskgroup_reduction_register, _unregister, GOMP_task_reduction_remap.
 */
#include <omp.h>
#include <stdio.h>

static void region(void)
{
	long sum = 0, max = 0;

#pragma omp parallel reduction(task, + : sum) reduction(max : max) num_threads(3)
	for (int i = omp_get_thread_num(); i < 90; i += omp_get_num_threads()) {
#pragma omp task in_reduction(+ : sum)
		{
			sum += i;
#pragma omp task in_reduction(+ : sum)
			sum += 1000;
		}
		max = i > max ? i : max;
	}
	printf("region %ld max %ld\n", sum, max);
}

static void loops(void)
{
	long sum = 0, up = 0, down = 0, ord = 0;
	unsigned order = 0;

#pragma omp parallel
	{
#pragma omp for reduction(task, + : sum) schedule(dynamic, 3)
		for (int i = 0; i < 60; i++)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp for reduction(task, + : up) schedule(guided)
		for (unsigned long long i = 1ull << 63; i < (1ull << 63) + 60; i++)
#pragma omp task in_reduction(+ : up)
			up += (long)(i & 0xff);
#pragma omp for reduction(task, + : down) schedule(static)
		for (long i = 60; i > 0; i--)
#pragma omp task in_reduction(+ : down)
			down += i;
	}
#pragma omp parallel for reduction(task, + : ord) schedule(runtime)
	for (int i = 0; i < 60; i++)
#pragma omp task in_reduction(+ : ord)
		ord += i * i;
#pragma omp parallel
#pragma omp for reduction(task, + : ord) schedule(dynamic) ordered
	for (int i = 0; i < 60; i++) {
#pragma omp ordered
		order = order * 31 + i;
#pragma omp task in_reduction(+ : ord)
		ord++;
	}
	printf("sum %ld up %ld down %ld ord %ld order %u\n", sum, up, down, ord, order);
}

static void sections(void)
{
	long sum = 0, prod = 1;

#pragma omp parallel
#pragma omp sections reduction(task, + : sum)
	{
#pragma omp section
		for (int i = 0; i < 30; i++)
#pragma omp task in_reduction(+ : sum)
			sum += i;
#pragma omp section
		for (int i = 0; i < 30; i++)
#pragma omp task in_reduction(+ : sum)
			sum += 100 * i;
	}
#pragma omp parallel sections reduction(task, * : prod)
	{
#pragma omp section
#pragma omp task in_reduction(* : prod)
		prod *= 6;
#pragma omp section
#pragma omp task in_reduction(* : prod)
		prod *= 7;
	}
	printf("sum %ld prod %ld\n", sum, prod);
}

static void group(void)
{
	long sum = 0, bits = 0, arr[4] = { 0 };

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum, arr) task_reduction(| : bits)
	for (int i = 0; i < 100; i++)
#pragma omp task in_reduction(+ : sum, arr) in_reduction(| : bits)
	{
		sum += i;
		arr[i % 4] += i;
#pragma omp task in_reduction(| : bits)
		bits |= 1l << (i % 48);
	}
	printf("sum %ld bits %lx arr %ld %ld %ld %ld\n", sum, (unsigned long)bits, arr[0], arr[1],
	       arr[2], arr[3]);
}

int main(void)
{
	region();
	loops();
	sections();
	group();
	printf("tptrace-tasks %d\n", 180 + 300 + 62 + 200);
	return 0;
}
