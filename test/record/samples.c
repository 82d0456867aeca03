/* SPDX-License-Identifier: MIT */
/* samples.c - a task that takes half a second of CPU time, all of it in one function that it calls.
 */
#include "burn.h"

int main(void)
{
	volatile double sum = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	for (double begin = cpu_s(); cpu_s() - begin < 0.5;)
		sum = burn(sum);
	return 0;
}
