/* SPDX-License-Identifier: MIT */
/* fine.c - adds up numbers, a task each.  FIXED: a task for a thousand of them. */
#include "fine.h"

static void add(int from)
{
	for (int i = from; i < from + GRAIN; i++)
		count_to(300);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < NUMBERS; i += GRAIN) {
#pragma omp task
		add(i);
	}
	return 0;
}
