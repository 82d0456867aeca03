/* SPDX-License-Identifier: MIT */
/* master, and tasks made by it while the others wait in GOMP_barrier; parallel master taskloop. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long n = 0, sum = 0, id = 0;

#pragma omp parallel
	for (int k = 0; k < 10; k++) {
#pragma omp master
		{
			id += omp_get_thread_num();
			for (int i = 0; i < 20; i++)
#pragma omp task shared(n)
#pragma omp atomic
				n++;
		}
#pragma omp barrier
	}
#pragma omp parallel master taskloop num_tasks(5) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	printf("n %ld id %ld sum %ld\n", n, id, sum);
	printf("tptrace-tasks 205\n");
	return n != 200 || sum != 4950;
}
