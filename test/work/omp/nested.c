/* SPDX-License-Identifier: MIT */
/* parallel regions three deep, omp_set_max_active_levels(3): GOMP_parallel on worker threads, the
 * tasks of each inner team its own. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n[4] = { 0 }, wrong = 0;

	omp_set_dynamic(0);
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();

#pragma omp atomic
		n[0]++;
#pragma omp parallel num_threads(2)
		{
#pragma omp atomic
			n[1]++;
#pragma omp task shared(n)
#pragma omp atomic
			n[3]++;
#pragma omp parallel num_threads(2)
			{
#pragma omp atomic
				n[2]++;
				if (omp_get_level() != 3 || omp_get_ancestor_thread_num(1) != outer)
#pragma omp atomic
					wrong++;
				for (int i = 0; i < 5; i++)
#pragma omp task shared(n)
#pragma omp atomic
					n[3]++;
#pragma omp parallel num_threads(2) /* a fourth level is serialised */
				if (omp_get_num_threads() != 1)
#pragma omp atomic
					wrong++;
			}
		}
	}
	printf("n %ld %ld %ld tasks %ld wrong %ld\n", n[0], n[1], n[2], n[3], wrong);
	printf("tptrace-regions %d\n", 1 + 2 + 4 + 8);
	printf("tptrace-tasks 44\n");
	return wrong || n[2] != 8;
}
