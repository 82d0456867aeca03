/* SPDX-License-Identifier: MIT */
/* one_worker.c - the variables of the runtimes, and the mask of CPUs. */
#include "tools/launch/one_worker.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* The second of MassiveThreads and of Qthreads are those of older versions. */
static const char *const variables[] = {
	"OMP_NUM_THREADS",	 "STARPU_NCPU",
	"QTHREAD_NUM_SHEPHERDS", "QTHREAD_NUM_WORKERS_PER_SHEPHERD",
	"QTHREAD_HWPAR",	 "MYTH_NUM_WORKERS",
	"MYTH_WORKER_NUM",	 "CILK_NWORKERS"
};

int one_worker_set(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (setenv(variables[i], "1", 1) < 0)
			return -errno;
	return setenv(ONE_WORKER_VARIABLE, "one worker", 1) < 0 ? -errno : 0;
}

/* Of more CPUs than the mask has room for it leaves all: the variables are set anyway. */
void one_worker_pin(void)
{
	cpu_set_t mine, one;
	int cpu = CPU_SETSIZE;

	if (!getenv(ONE_WORKER_VARIABLE) || sched_getaffinity(0, sizeof(mine), &mine) < 0)
		return;
	while (cpu > 0 && !CPU_ISSET(cpu - 1, &mine))
		cpu--;
	CPU_ZERO(&one);
	if (cpu > 0)
		CPU_SET(cpu - 1, &one);
	sched_setaffinity(0, sizeof(one), &one);
}
