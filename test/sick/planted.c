/* SPDX-License-Identifier: MIT */
/*
 * planted.c - one loss on two threads, which the program itself measures and prints in ns: planted
 * WHAT [fixed]. All of its work is sleep, so that neither the machine's speed nor its load changes
 * much.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/now.h"

#define TASKS 40
#define ROUNDS 20
#define STEPS 12

static int fixed;
static long long planted_ns, last_ns[2], chained;

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

/* ---- a lock: what its tasks wait ---- */

static void scan(void)
{
	long long since;

	sleep_us(1000);
	since = now_ns();
#pragma omp critical(histogram)
	{
		planted_ns += now_ns() - since;
		sleep_us(5000);
	}
}

static void scan_own(void)
{
	sleep_us(6000);
}

static void lock(void)
{
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		fixed ? scan_own() : scan();
	}
}

/* ---- serial code: its length, for which the other thread has nothing ---- */

static void serial(void)
{
	long long since = now_ns();

	if (!fixed)
		sleep_us(120000);
	planted_ns = fixed ? 0 : now_ns() - since;
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		sleep_us(5000);
	}
}

/* ---- a long task that begins last: from the end of all others to its own ---- */

static void compress(int large)
{
	sleep_us(large ? 150000 : 5000);
	__atomic_store_n(&last_ns[large], now_ns(), __ATOMIC_RELAXED);
}

static void tail(void)
{
#ifdef __clang__
	int largest = TASKS / 2; /* libomp's thief takes the oldest task, the creator its newest */
#else
	int largest = TASKS - 1;
#endif

	for (int i = 0; i < TASKS; i++) {
		int large = i == (fixed ? 0 : largest);
#pragma omp task
		compress(large);
	}
}

/* ---- a wait in each round, which one of two tasks ends late ---- */

static void taskwait(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		long long end[2];

#pragma omp task shared(end)
		{
			sleep_us(fixed ? 6000 : 2000);
			end[0] = now_ns();
		}
#pragma omp task shared(end)
		{
			sleep_us(fixed ? 6000 : 10000);
			end[1] = now_ns();
		}
#pragma omp taskwait
		planted_ns += llabs(end[1] - end[0]);
	}
}

/* ---- tasks that wait for each other: from the first one's begin to the last one's end ---- */

static void step(void)
{
	if (!last_ns[0])
		last_ns[0] = now_ns();
	sleep_us(17000);
	last_ns[1] = now_ns();
}

static void step_alone(void)
{
	sleep_us(17000);
}

static void chain(void)
{
	for (int i = 0; i < STEPS; i++) {
		if (fixed) {
#pragma omp task
			step_alone();
		} else {
#pragma omp task depend(inout : chained)
			step();
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} way[] = { { "lock", lock },
		    { "serial", serial },
		    { "tail", tail },
		    { "wait", taskwait },
		    { "chain", chain } };

	fixed = argc > 2;
	for (unsigned i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (argc > 1 && !strcmp(argv[1], way[i].name)) {
#pragma omp parallel num_threads(2)
#pragma omp single
			way[i].run();
			if (last_ns[1] > last_ns[0])
				planted_ns = last_ns[1] - last_ns[0];
			printf("%lld\n", planted_ns);
			return 0;
		}
	return 2;
}
