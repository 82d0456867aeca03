/* SPDX-License-Identifier: MIT */
/* cutoff.c - a tree of uneven halves, cut off at the first of them.  FIXED: far below. */
#include "spin.h"

#ifdef FIXED
#define DEPTH 8
#else
#define DEPTH 1
#endif

static void tree(int depth, int n)
{
	if (n < 2) {
		spin_us(400);
		return;
	}
#pragma omp task final(depth >= DEPTH)
	tree(depth + 1, n - 1);
#pragma omp task final(depth >= DEPTH)
	tree(depth + 1, n - 2);
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	tree(0, 14);
	return 0;
}
