/* SPDX-License-Identifier: MIT */
/* Teams that change size from region to region, at both levels: hot teams grow and shrink, threads
 * go from one master's team to another's; if() and num_threads(1) serialize inner regions.  libomp
 * hangs untraced where it keeps inner teams but lets threads go; nest_hot.c is the other case. */
// env: KMP_HOT_TEAMS_MAX_LEVEL=1
#include "../counted.h"

#include <omp.h>

static void work(int n)
{
	for (int i = 0; i < n; i++)
#pragma omp task
		TASK();
}

int main(void)
{
	counted_begin(3);
	for (int k = 0; k < 60; k++) {
#pragma omp parallel num_threads(1 + k % 5)
		{
			int me = omp_get_thread_num();

			MEMBER();
			for (int j = 0; j < 3; j++) {
#pragma omp parallel num_threads(1 + (k * 7 + me * 3 + j) % 4) if ((k + j) % 4)
				{
					MEMBER();
					work(1 + j);
					if ((k + me) % 7 == 0) {
#pragma omp parallel num_threads(2)
						{
							MEMBER();
							work(1);
						}
					}
				}
				if (j == 1)
					work(2);
			}
		}
	}
	counted_print();
	return 0;
}
