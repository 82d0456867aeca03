/* SPDX-License-Identifier: MIT */
/* unload_omp.c - a plugin of unload.c: 100 tasks in a team of two, which waits for more. */
#define TEAM num_threads(2)
#include "../lib/omp_tasks.h"

long unload_run(void);

long unload_run(void)
{
	return sum_in_tasks(100);
}
