/* SPDX-License-Identifier: MIT */
/*
 * untied.c - rounds that read, archive and solve.  The task that waits for the reading begins the
 * archive meanwhile, and cannot go on before that ends.  CHANGED: what comes after the wait is a
 * task that any worker may run, as if the waiting one was untied.
 */
#include <stdio.h>

#define ROUNDS 8
#define PARTS 10
#define UNIT 1000000 /* terms */

static double input, archived[ROUNDS], solved[ROUNDS][PARTS];

static double sum(int n)
{
	double all = 0;

	for (int i = 1; i <= n; i++)
		all += 1. / i;
	return all;
}

static void solve_all(int round)
{
	for (int i = 0; i < PARTS; i++) {
#pragma omp task
		solved[round][i] = sum(UNIT);
	}
#pragma omp taskwait
}

static double prepare(void)
{
	return sum(2 * UNIT);
}

int main(void)
{
	double all = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp task depend(out : input)
		input = sum(3 * UNIT);
#pragma omp task
		archived[round] = sum(PARTS * UNIT);
		all += prepare();
#ifdef CHANGED
#pragma omp task depend(in : input)
		solve_all(round);
#pragma omp taskwait
#else
#pragma omp taskwait depend(in : input)
		solve_all(round);
#endif
	}
	for (int round = 0; round < ROUNDS; round++) {
		all += archived[round];
		for (int i = 0; i < PARTS; i++)
			all += solved[round][i];
	}
	printf("%.6f\n", all + input);
	return 0;
}
