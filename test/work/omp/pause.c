// SPDX-License-Identifier: MIT
// Tasks are recorded after the program gave the runtime's resources back: for a while, for good.
// not-on: bare
#include "../counted.h"

#include <omp.h>

/* Clang asks once in a function which thread runs it; after a hard pause that is another. */
static __attribute__((noinline)) void tasks(void)
{
#pragma omp parallel num_threads(2)
	{
		MEMBER();
#pragma omp single
		{
#pragma omp task
			TASK();
#pragma omp task untied
			TASK();
#pragma omp taskgroup
			{
#pragma omp task if (0)
				TASK();
			}
#pragma omp taskloop num_tasks(3)
			for (int i = 0; i < 3; i++)
				TASK();
		}
	}
}

int main(void)
{

	omp_set_dynamic(0);
	tasks();
	omp_pause_resource_all(omp_pause_soft);
	tasks();
	for (int i = 0; i < 3; i++) {
		omp_pause_resource_all(omp_pause_hard);
		tasks();
	}
	omp_pause_resource(omp_pause_hard, omp_get_initial_device());
	tasks();
	counted_print();
	return 0;
}
