/* SPDX-License-Identifier: MIT */
/* task priority: GOMP_task with PRIORITY and the ninth argument. */
// not-on: libomp
// env: OMP_MAX_TASK_PRIORITY=20
#include <omp.h>
#include <stdio.h>

int main(void)
{
	long sum = 0;
	int order[20], n = 0;

#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 400; i++)
#pragma omp task priority(i % 23) shared(sum)
#pragma omp atomic
		sum += i;
	/* A team of one takes them highest first. */
#pragma omp parallel num_threads(1)
	{
		for (int i = 0; i < 20; i++)
#pragma omp task priority((i * 7) % 20) shared(order, n)
			order[n++] = (i * 7) % 20;
#pragma omp taskwait
	}
	printf("max %d sum %ld order", omp_get_max_task_priority(), sum);
	for (int i = 0; i < 20; i++)
		printf(" %d", order[i]);
	printf("\ntptrace-tasks 420\n");
	return sum != 79800 || order[0] != 19 || order[19] != 0;
}
