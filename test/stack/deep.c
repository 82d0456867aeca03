/* SPDX-License-Identifier: MIT */
/* deep.c N - N nested tasks, each of which waits for its child, as deep as the stack lets them.
 * -DNEST_GROUP .. say how.
 *
 * Tasks of a team of one run at once; those of -DTHREADS= are queued, and run where their parent
 * waits, on a thread with a little stack, since libgomp queues no more than 64 a thread.
 * (Not libomp's taskwait: where there is a tool it has a second frame of its own, 176 bytes.) */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 1
#endif

static void chain(int n)
{
	if (!n)
		return;
#ifdef NEST_GROUP
#pragma omp taskgroup
	{
#pragma omp task
		chain(n - 1);
	}
#elif defined(NEST_LOOP)
#pragma omp taskloop num_tasks(1)
	for (int i = 0; i < 1; i++)
		chain(n - 1);
#elif defined(NEST_IF0)
#pragma omp task if (0)
	chain(n - 1);
#elif defined(NEST_FINAL)
#pragma omp task final(1)
	chain(n - 1);
#pragma omp taskwait
#elif defined(NEST_DEPEND)
	char a, b;
#pragma omp task depend(inout : a) depend(out : b)
	chain(n - 1);
#pragma omp taskwait
#elif defined(NEST_PRIORITY)
#pragma omp task priority(n & 3)
	chain(n - 1);
#pragma omp taskwait
#elif defined(NEST_DETACH)
	omp_event_handle_t event;
#pragma omp task detach(event)
	{
		omp_fulfill_event(event);
		chain(n - 1);
	}
#pragma omp taskwait
#else
#ifdef NEST_LOCK
	static int sum;
#pragma omp critical(a)
	sum += n;
#endif
#pragma omp task
	chain(n - 1);
#pragma omp taskwait
#endif
}

int main(int argc, char **argv)
{
	volatile int done = 0;

#pragma omp parallel num_threads(THREADS)
	if (omp_get_thread_num() == THREADS - 1) {
		chain(argc > 1 ? atoi(argv[1]) : 1000);
		done = 1;
	} else {
		while (!done)
			usleep(100);
	}
	puts("done");
}
