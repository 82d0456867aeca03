/* SPDX-License-Identifier: MIT */
/* Two levels, 100 times: four masters end an inner region at once, and one's team is soon the
 * other's.  Tasks of the outer region run at its last barrier while inner regions begin and end. */
#include "../counted.h"

#include <omp.h>

int main(void)
{
	counted_begin(2);
	for (int k = 0; k < 100; k++) {
#pragma omp parallel num_threads(4)
		{
			MEMBER();
#pragma omp single nowait
			for (int i = 0; i < 20; i++)
#pragma omp task
				TASK();
			counted_pair();
		}
	}
	counted_print();
	return counted_tasks != 2800;
}
