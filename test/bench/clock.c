/* SPDX-License-Identifier: MIT */
/* clock.c - what one reading of the recorder's clock costs: "clock_ns N". */
#include "preload/session/clock.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/bench/now.h"

#define READINGS 200000
#define ROUNDS 25

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	double ns[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = now_cpu_ns();

		for (int i = 0; i < READINGS; i++)
			clock_ticks();
		ns[round] = (double)(now_cpu_ns() - begin_ns) / READINGS;
	}
	qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
	printf("clock_ns %.4f\n", ns[ROUNDS / 2]);
	return 0;
}
