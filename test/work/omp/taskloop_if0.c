/* SPDX-License-Identifier: MIT */
/* taskloop if(0), in a final task, and outside any team: GOMP_taskloop without IF runs on the
 * caller. */
#include <omp.h>
#include <stdio.h>

static long sum, n_elsewhere;

static void loop(int deferred)
{
	int me = omp_get_thread_num();

#pragma omp taskloop num_tasks(5) if (deferred) firstprivate(me)
	for (int i = 0; i < 50; i++) {
#pragma omp atomic
		sum += i;
		if (omp_get_thread_num() != me)
#pragma omp atomic
			n_elsewhere++;
	}
}

int main(void)
{
	loop(0);
	loop(1); /* no team: the same */
#pragma omp parallel
#pragma omp single
	{
		loop(0);
#pragma omp task final(1)
		loop(1);
	}
	printf("sum %ld elsewhere %ld\n", sum, n_elsewhere);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks 21\n");
	return sum != 4 * 1225 || n_elsewhere;
}
