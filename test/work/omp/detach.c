/* SPDX-License-Identifier: MIT */
/*
 * task detach(..): GOMP_task with DETACH, omp_fulfill_event by its creator, mostly before the body
 * begins; by the task itself; and by another task, where a dependent one waits for the event, not
 * for the body.
 */
// needs: gcc11 clang
// not-on: gcc-on-libomp
#include <omp.h>
#include <stdio.h>

static long sum, n_early;

static void add(long i)
{
#pragma omp atomic
	sum += i;
}

static void by_creator(void)
{
#pragma omp taskgroup
	for (int i = 0; i < 50; i++) {
		omp_event_handle_t e;

#pragma omp task detach(e)
		add(1);
		omp_fulfill_event(e);
	}
}

static void by_itself(int n)
{
	for (int i = 0; i < n; i++) {
		omp_event_handle_t e;

#pragma omp task detach(e) firstprivate(i) if (i % 4)
		{
			add(1);
			omp_fulfill_event(e);
			add(i);
		}
	}
#pragma omp taskwait
}

static void by_another(void)
{
	for (int i = 0; i < 20; i++) {
		omp_event_handle_t e;
		long a = 0, fulfilled = 0;

#pragma omp task detach(e) depend(out : a) shared(a)
		a = i;
#pragma omp task firstprivate(e) shared(fulfilled)
		{
#pragma omp atomic write
			fulfilled = 1;
			omp_fulfill_event(e);
		}
#pragma omp task depend(in : a) shared(a, fulfilled)
		{
			long f;
#pragma omp atomic read
			f = fulfilled;
			n_early += !f;
			add(a);
		}
#pragma omp taskwait
	}
}

int main(void)
{
	by_itself(3); /* no team: undeferred */
#pragma omp parallel
#pragma omp single
	{
		by_creator();
		by_itself(100);
		by_another();
	}
	printf("sum %ld early %ld\n", sum, n_early);
	printf("tptrace-tasks %d\n", 3 + 50 + 100 + 60);
	return n_early || sum != 50 + 103 + 3 + 4950 + 190;
}
