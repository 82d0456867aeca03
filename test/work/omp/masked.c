/* SPDX-License-Identifier: MIT */
/* masked filter(..) and parallel masked taskloop: inline compares, GOMP_taskloop. */
// needs: gcc12
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long id = 0, sum = 0;

#pragma omp parallel num_threads(3)
	for (int k = 0; k < 9; k++) {
#pragma omp masked filter(k % 3)
		id = id * 10 + omp_get_thread_num();
#pragma omp barrier
	}
#pragma omp parallel masked taskloop num_tasks(5) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	printf("id %ld sum %ld\n", id, sum);
	printf("tptrace-tasks 5\n");
	return id != 12012012 || sum != 4950;
}
