/* SPDX-License-Identifier: MIT */
/* teams on the host, distribute, and parallel regions inside: GOMP_teams_reg. */
#include <omp.h>
#include <stdio.h>

#include "../../lib/omp_tasks.h"

int main(void)
{
	long n_teams = 0, sum = 0, n_tasks = 0, ids = 0;
	static int a[200];

#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : n_teams, ids)
	{
		n_teams += omp_get_num_teams();
		ids += 1 << omp_get_team_num();
	}
#pragma omp teams num_teams(3) shared(a)
#pragma omp distribute
	for (int i = 0; i < 200; i++)
		a[i] = i;
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum)
	for (int i = 0; i < 200; i++)
		sum += a[i];
#pragma omp teams num_teams(2) shared(n_tasks)
#pragma omp parallel num_threads(2) shared(n_tasks)
#pragma omp single
#pragma omp atomic
	n_tasks += fib(6);
#pragma omp teams num_teams(1) thread_limit(2) shared(n_tasks) /* libomp tells of it twice */
#pragma omp parallel num_threads(2) shared(n_tasks)
#pragma omp single
#pragma omp atomic
	n_tasks += fib(6);
	printf("teams %ld ids %ld sum %ld tasks %ld\n", n_teams, ids, sum, n_tasks);
	printf("tptrace-tasks 72\n");
	return n_teams != 9 || ids != 7 || sum != 19900 || n_tasks != 24;
}
