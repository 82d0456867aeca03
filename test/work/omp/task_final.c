/* SPDX-License-Identifier: MIT */
/* task final: GOMP_task with FINAL, and GOMP_task for the children included in it. */
#include <omp.h>
#include <stdio.h>

static long n_final, n_not_final, n_elsewhere;

static void tree(int depth)
{
	int me = omp_get_thread_num(), included = omp_in_final();

	if (included)
#pragma omp atomic
		n_final++;
	else
#pragma omp atomic
		n_not_final++;
	if (depth == 8)
		return;
	for (int i = 0; i < 2; i++)
#pragma omp task final(depth >= 3) firstprivate(me, included)
	{
		if (included && omp_get_thread_num() != me)
#pragma omp atomic
			n_elsewhere++;
		tree(depth + 1);
	}
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	tree(0);
	printf("final %ld not %ld elsewhere %ld\n", n_final, n_not_final, n_elsewhere);
	printf("tptrace-regions 1\n");
	printf("tptrace-tasks %d\n", (1 << 9) - 2);
	return n_final != 512 - 16 || n_not_final != 15 || n_elsewhere;
}
