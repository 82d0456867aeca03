/* SPDX-License-Identifier: MIT */
/* deep.c N - N nested tasks, each of which waits for its child, as deep as the stack lets them.
 * -DNEST= says how. */
#include <stdio.h>
#include <stdlib.h>

#define PLAIN 0
#define GROUP 1
#define LOOP 2
#define IF0 3
#define FINAL 4
#define LOCK 5
#define DEPEND 6
#define PRIORITY 7
#define DETACH 8

#if NEST == DETACH
#include <omp.h>
#endif

static void chain(int n)
{
	if (!n)
		return;
#if NEST == GROUP
#pragma omp taskgroup
	{
#pragma omp task
		chain(n - 1);
	}
#elif NEST == LOOP
#pragma omp taskloop num_tasks(1)
	for (int i = 0; i < 1; i++)
		chain(n - 1);
#elif NEST == IF0
#pragma omp task if (0)
	chain(n - 1);
#elif NEST == FINAL
#pragma omp task final(1)
	chain(n - 1);
#pragma omp taskwait
#elif NEST == DEPEND
	char a, b;
#pragma omp task depend(inout : a) depend(out : b)
	chain(n - 1);
#pragma omp taskwait
#elif NEST == PRIORITY
#pragma omp task priority(n & 3)
	chain(n - 1);
#pragma omp taskwait
#elif NEST == DETACH
	omp_event_handle_t event;
#pragma omp task detach(event)
	{
		omp_fulfill_event(event);
		chain(n - 1);
	}
#pragma omp taskwait
#else
#if NEST == LOCK
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
#pragma omp parallel num_threads(1)
#pragma omp single
	chain(argc > 1 ? atoi(argv[1]) : 1000);
	puts("done");
}
