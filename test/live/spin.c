/* SPDX-License-Identifier: MIT */
/*
 * spin.c - a program whose breakdown is known by construction, on 2 threads; it never sleeps.
 *
 * In each round one thread runs SERIAL ms alone, while the other has nothing to do, and then
 * both run PAIR ms at the same time.  So of 2 (SERIAL + PAIR): work SERIAL + 2 PAIR, and
 * no-work-app SERIAL.  Prints these in ns, and for how long its threads had no core.
 */
#include <dirent.h>
#include <stdio.h>

#include "../bench/now.h"

#define ROUNDS 5
#define SERIAL_NS 20000000u
#define PAIR_NS 30000000u

static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

/* How long the threads of this process waited for a core.  [proc(5), schedstat] */
static uint64_t without_core_ns(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	uint64_t sum = 0;

	while (tasks && (entry = readdir(tasks))) {
		char path[300];
		unsigned long long waited = 0;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
		file = fopen(path, "r");
		if (file && fscanf(file, "%*u %llu", &waited) == 1)
			sum += waited;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return sum;
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
	printf("%u %u %llu\n", ROUNDS * (SERIAL_NS + 2 * PAIR_NS), ROUNDS * SERIAL_NS,
	       (unsigned long long)without_core_ns());
	return 0;
}
