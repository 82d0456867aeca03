// SPDX-License-Identifier: MIT
// main(), which is in no task, makes a thread, and another one once the first has run tasks.  With
// an argument it then runs tasks in a team, beside a thread's team.
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

/* All threads of both teams are in a task at once. */
static void *team(void *arg)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp task
		{
#pragma omp atomic
			sum++;
			while (ran() < 90 + 4) /* all are there */
				;
		}
#pragma omp taskwait
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t first, second;

	(void)argv;
	pthread_create(&first, NULL, tasks, NULL);
	while (ran() < 45)
		;
	pthread_create(&second, NULL, tasks, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	if (argc > 1) {
		pthread_create(&first, NULL, team, NULL);
		team(NULL);
		pthread_join(first, NULL);
	}
	printf("%ld\n", ran());
	return 0;
}
