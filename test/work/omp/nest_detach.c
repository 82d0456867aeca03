/* SPDX-License-Identifier: MIT */
/* Detached tasks in inner regions: their events are fulfilled by a plain thread, by a child, and by
 * the code itself; one has a successor.  libgomp 11 and 12 miss a wake-up in it, and
 * libomp 14 crashes in 1 of 12 runs, both untraced: so only test/nest runs it. */
// not-on: libgomp gcc-on-libomp corpus
// flags: -pthread
#include "../counted.h"

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define EVENTS 4096

static _Atomic(uintptr_t) event[EVENTS];
static atomic_int n_events, closed;

/* The plain thread: all of them, as they come. */
static void *fulfill(void *arg)
{
	int i = 0;

	while (!closed || i < n_events) {
		if (i == n_events || !event[i])
			continue;
		omp_fulfill_event((omp_event_handle_t)event[i]);
		i++;
	}
	return arg;
}

static void leave(omp_event_handle_t handle)
{
	event[n_events++] = (uintptr_t)handle;
}

static void inner(void)
{
	omp_event_handle_t a = 0, b = 0, c = 0;
	int x = 0, seen = 0;

#pragma omp task detach(a)
	{
		TASK();
		leave(a);
	}
#pragma omp task detach(b) depend(out : x) shared(x)
	{
		TASK();
		x = 1;
#pragma omp task firstprivate(b)
		{
			TASK();
			omp_fulfill_event(b);
		}
	}
#pragma omp task depend(in : x) shared(x, seen)
	{
		TASK();
		seen = x;
	}
#pragma omp task detach(c)
	{
		TASK();
		omp_fulfill_event(c);
	}
#pragma omp taskwait
	if (!seen)
		abort();
#pragma omp task detach(a) /* waited for at the barrier */
	{
		TASK();
		leave(a);
	}
}

int main(void)
{
	pthread_t thread;

	counted_begin(2);
	pthread_create(&thread, NULL, fulfill, NULL);
	for (int k = 0; k < 20; k++) {
#pragma omp parallel num_threads(3)
		{
			MEMBER();
#pragma omp parallel num_threads(2)
			{
				MEMBER();
				inner();
			}
#pragma omp task
			inner();
		}
		counted_tasks += 3;
	}
	closed = 1;
	pthread_join(thread, NULL);
	counted_print();
	return 0;
}
