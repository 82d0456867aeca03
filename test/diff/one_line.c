/* SPDX-License-Identifier: MIT */
/* one_line.c - tasks count in their worker's place of one cache line: slower on more workers. */
#include <omp.h>
#include <stdint.h>

#define TASKS 64
#define STEPS 200000

static volatile uint64_t place[8] __attribute__((aligned(128)));

static void count(void)
{
	volatile uint64_t *own = &place[omp_get_thread_num() % 8];

	for (int i = 0; i < STEPS; i++)
		++*own;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		count();
	}
	return 0;
}
