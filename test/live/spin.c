/* SPDX-License-Identifier: MIT */
/*
 * spin.c - a program whose breakdown is known by construction, on 2 threads; it never sleeps.
 *
 * In each round one thread runs SERIAL ms alone, while the other has nothing to do, and then
 * both run PAIR ms at the same time.  So of 2 (SERIAL + PAIR): work SERIAL + 2 PAIR, and
 * no-work-app SERIAL.  Prints these in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 5
#define SERIAL_NS 20000000u
#define PAIR_NS 30000000u

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
	for (int i = 0; i < ROUNDS; i++) {
		spin(SERIAL_NS);
#pragma omp task
		spin(PAIR_NS);
#pragma omp task
		spin(PAIR_NS);
#pragma omp taskwait
	}
	printf("%u %u\n", ROUNDS * (SERIAL_NS + 2 * PAIR_NS), ROUNDS * SERIAL_NS);
	return 0;
}
