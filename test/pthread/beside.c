// SPDX-License-Identifier: MIT
// main(), which is in no task, makes a thread, and another one once the first has run tasks.
#include <pthread.h>
#include <stdio.h>

static long sum;

static long ran(void)
{
	long now;

#pragma omp atomic read
	now = sum;
	return now;
}

static void *tasks(void *arg)
{
	for (int i = 0; i < 10; i++)
#pragma omp task
	{
#pragma omp atomic
		sum += i;
	}
	while (ran() < 90) /* both are there */
		;
	return arg;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, tasks, NULL);
	while (ran() < 45)
		;
	pthread_create(&second, NULL, tasks, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%ld\n", ran());
	return 0;
}
