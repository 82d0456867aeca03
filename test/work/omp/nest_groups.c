/* SPDX-License-Identifier: MIT */
/* Taskgroups with reductions, taskloops, dependences and undeferred tasks in inner regions; regions
 * in the tasks of a group and of a taskloop. */
// not-on: old-libomp
#include "../counted.h"

#include <omp.h>

static atomic_long wrong;

static void depends(void)
{
	int x = 0, y = 0;

#pragma omp task depend(out : x) shared(x)
	{
		TASK();
		x = 2;
	}
#pragma omp task depend(out : y) shared(y)
	{
		TASK();
		y = 3;
	}
#pragma omp task depend(in : x, y) shared(x, y)
	{
		TASK();
		if (x * y != 6)
			wrong++;
	}
#pragma omp task if (0) depend(inout : x) shared(x)
	{
		TASK();
		x++;
	}
#pragma omp taskwait
	if (x != 3)
		wrong++;
}

static void group(void)
{
	long sum = 0;

#pragma omp taskgroup task_reduction(+ : sum)
	{
		for (int i = 0; i < 3; i++)
#pragma omp task in_reduction(+ : sum)
		{
			TASK();
			sum += i;
#pragma omp task
			TASK();
		}
#pragma omp task
		{
			TASK();
#pragma omp parallel num_threads(2)
			{
				MEMBER();
				depends();
			}
		}
	}
	if (sum != 3)
		wrong++;
}

static void loops(void)
{
	long sum = 0;

#pragma omp taskloop num_tasks(5) reduction(+ : sum)
	for (int i = 0; i < 5; i++) {
		TASK();
		sum += i;
	}
	if (sum != 10)
		wrong++;
#pragma omp taskloop num_tasks(3) nogroup
	for (int i = 0; i < 3; i++) {
		TASK();
#pragma omp parallel num_threads(2)
		MEMBER();
	}
}

int main(void)
{
	counted_begin(3);
	for (int k = 0; k < 15; k++) {
#pragma omp parallel num_threads(3)
		{
			int sum = 0;

			MEMBER();
#pragma omp task
			{
				TASK();
				loops();
			}
#pragma omp parallel num_threads(2) reduction(+ : sum)
			{
				MEMBER();
				if (k % 3 == 0)
					group();
				else if (k % 3 == 1)
					loops();
				else
					depends();
				sum++;
			}
			if (sum != 2)
				wrong++;
		}
	}
	printf("wrong %ld\n", wrong);
	counted_print();
	return wrong != 0;
}
