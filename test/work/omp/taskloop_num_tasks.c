/* SPDX-License-Identifier: MIT */
/* taskloop num_tasks(..): GOMP_taskloop, 7 tasks a loop; never more tasks than iterations. */
// not-on: gcc-on-libomp
#include <stdio.h>

int main(void)
{
	long sum = 0, last = -1;

#pragma omp parallel
#pragma omp single
	{
		for (int k = 0; k < 10; k++)
#pragma omp taskloop num_tasks(7) shared(sum) firstprivate(k)
			for (int i = 0; i < 100; i++)
#pragma omp atomic
				sum += i + k;
#pragma omp taskloop num_tasks(50) shared(sum)
		for (int i = 0; i < 5; i++)
#pragma omp atomic
			sum += i;
#pragma omp taskloop num_tasks(3) shared(sum) lastprivate(last)
		for (int i = 30; i > 3; i -= 3) {
#pragma omp atomic
			sum += i;
			last = i;
		}
#pragma omp taskloop num_tasks(3) shared(sum)
		for (int i = 0; i < last - 6; i++) /* none */
#pragma omp atomic
			sum += 1000000;
	}
	printf("sum %ld last %ld\n", sum, last);
	printf("tptrace-tasks %d\n", 10 * 7 + 5 + 3);
	return sum != 49500 + 4500 + 10 + 162 || last != 6;
}
