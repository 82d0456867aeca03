/* SPDX-License-Identifier: MIT */
/* Untied tasks in inner regions, which yield and wait; and such that fork inner regions themselves,
 * between parts that may run on different threads. */
#include "../counted.h"

#include <omp.h>

static void tree(int depth)
{
	for (int i = 0; i < 2; i++)
#pragma omp task untied
	{
		TASK();
#pragma omp taskyield
		if (depth)
			tree(depth - 1);
	}
#pragma omp taskwait
}

int main(void)
{
	counted_begin(3);
	for (int k = 0; k < 15; k++) {
#pragma omp parallel num_threads(3)
		{
			MEMBER();
#pragma omp task untied
			{
				TASK();
#pragma omp parallel num_threads(2)
				{
					MEMBER();
					tree(1);
				}
#pragma omp taskyield
#pragma omp parallel num_threads(1 + k % 3)
				{
					MEMBER();
#pragma omp task untied
					{
						TASK();
#pragma omp taskyield
					}
				}
			}
#pragma omp parallel num_threads(2)
			{
				MEMBER();
#pragma omp single
				tree(2);
			}
		}
	}
	counted_print();
	return 0;
}
