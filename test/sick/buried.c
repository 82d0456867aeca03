/* SPDX-License-Identifier: MIT */
/*
 * buried.c - a task that waits for one child runs another, long one meanwhile, and cannot go on
 * when the child has ended: who would take its next tasks has nothing to do.  FIXED: the long one
 * is created after the wait.
 */
#include "spin.h"

#define ROUNDS 10
#define PARTS 10

static volatile int begun;

static void read_part(void)
{
	begun = 1;
	spin_us(2000);
}

/* libomp may leave the other thread asleep (seen with 23), so not forever. */
static void wait_until_begun(void)
{
	uint64_t end = now_cpu_ns() + 20000000;

	while (!begun && now_cpu_ns() < end)
		;
}

static void archive(void)
{
	spin_us(30000);
}

static void solve(void)
{
	spin_us(2000);
}

int main(void)
{
	int input;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < ROUNDS; i++) {
		begun = 0;
#pragma omp task depend(out : input)
		read_part();
		wait_until_begun();
#ifndef FIXED
#pragma omp task
		archive();
#endif
#pragma omp taskwait depend(in : input)
#ifdef FIXED
#pragma omp task
		archive();
#endif
		for (int k = 0; k < PARTS; k++) {
#pragma omp task
			solve();
		}
#pragma omp taskwait
	}
	return 0;
}
