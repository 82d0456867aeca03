/* SPDX-License-Identifier: MIT */
/*
 * taskloop nogroup, which returns before its tasks end; over unsigned long long, up and down across
 * 2^63, with and without UP; with reduction(..) and in_reduction(..); and if(0), in a final task
 * and outside any team, where the caller runs all: GOMP_taskloop, GOMP_taskloop_ull.
 */
#include <omp.h>
#include <stdio.h>

#define MID (1ull << 63)

static long sum, n_elsewhere;

static void nogroup(void)
{
	long seen;

	for (int k = 0; k < 5; k++)
#pragma omp taskloop nogroup num_tasks(8) firstprivate(k)
		for (int i = 0; i < 100; i++)
#pragma omp atomic
			sum += i * k;
#pragma omp taskwait
#pragma omp atomic read
	seen = sum;
	printf("seen %ld\n", seen);
}

static void unsigned_bounds(void)
{
	unsigned long long up = 0, down = 0, red = 0;

#pragma omp taskloop num_tasks(6) shared(up)
	for (unsigned long long i = MID - 50; i < MID + 50; i++)
#pragma omp atomic
		up += i;
#pragma omp taskloop grainsize(9) shared(down)
	for (unsigned long long i = MID + 50; i > MID - 50; i -= 3)
#pragma omp atomic
		down += i;
#pragma omp taskloop num_tasks(4) reduction(+ : red)
	for (unsigned long long i = ~0ull; i > ~0ull - 40; i--)
		red += i;
	printf("up %llu down %llu red %llu\n", up, down, red);
}

static void reductions(void)
{
	long all = 0, arr[3] = { 0 }, outer = 0;

#pragma omp taskloop reduction(+ : all, arr) num_tasks(9)
	for (int i = 0; i < 200; i++) {
		all += i;
		arr[i % 3] += i;
	}
#pragma omp taskgroup task_reduction(+ : outer)
	{
#pragma omp taskloop in_reduction(+ : outer) num_tasks(5) nogroup
		for (int i = 0; i < 200; i++)
			outer += i;
#pragma omp taskloop reduction(+ : all) in_reduction(+ : outer) num_tasks(4)
		for (unsigned long long i = 0; i < 200; i++) {
			outer += i;
			all += i;
		}
	}
	printf("sum %ld arr %ld %ld %ld outer %ld\n", all, arr[0], arr[1], arr[2], outer);
}

static void loop(int deferred)
{
	int me = omp_get_thread_num();

#pragma omp taskloop num_tasks(5) if (deferred) firstprivate(me)
	for (int i = 0; i < 50; i++) {
#pragma omp atomic
		sum += i;
		if (omp_get_thread_num() != me)
#pragma omp atomic
			n_elsewhere++;
	}
}

int main(void)
{
	loop(0);
	loop(1); /* no team: the same */
#pragma omp parallel
#pragma omp single
	{
		nogroup();
		unsigned_bounds();
		reductions();
		loop(0);
#pragma omp task final(1)
		loop(1);
	}
	printf("sum %ld elsewhere %ld\n", sum, n_elsewhere);
	printf("tptrace-tasks %d\n", 5 * 8 + 6 + 34 / 9 + 4 + 9 + 5 + 4 + 21);
	return sum != 49500 + 4 * 1225 || n_elsewhere;
}
