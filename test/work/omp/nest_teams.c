/* SPDX-License-Identifier: MIT */
/* Leagues of 1 to 3 teams of 1 to 3 threads on the host, and nested regions in them.  libomp 14 and
 * 16 fail untraced where they keep inner teams. */
// needs: gcc11 clang
// not-on: gcc-on-libomp
// env: KMP_TEAMS_THREAD_LIMIT=64 KMP_HOT_TEAMS_MAX_LEVEL=1
#include "../counted.h"

#include <omp.h>

static atomic_long n_teams;

static void two(int n)
{
#pragma omp parallel num_threads(n)
	{
		MEMBER();
#pragma omp task
		TASK();
		counted_pair();
	}
}

int main(void)
{
	long n = 0;

	counted_begin(4);
	for (int k = 0; k < 12; k++) {
		int teams = 1 + k % 3, threads = 1 + k / 3 % 3;

#pragma omp teams num_teams(teams) thread_limit(threads)
		{
			n_teams++;
			two(threads);
			two(threads);
		}
#pragma omp target map(tofrom : n)
#pragma omp teams num_teams(teams) thread_limit(threads)
#pragma omp parallel num_threads(threads)
#pragma omp atomic
		n++;
		two(2);
	}
	printf("teams %ld in a target region %ld\n", n_teams, n);
#ifndef __clang__ /* libgomp's target constructs are tasks */
	counted_tasks += 12;
#endif
	printf("tptrace-tasks %ld\n", counted_tasks);
	return 0;
}
