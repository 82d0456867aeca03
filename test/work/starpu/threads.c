/* SPDX-License-Identifier: MIT */
/* Several threads of the program that submit tasks, on data of their own and on one for all. */
#include "common.h"

#include <pthread.h>

#define THREADS 4
#define TASKS 50

static long shared, own[THREADS];
static starpu_data_handle_t shared_handle, own_handle[THREADS];

static void *submitter(void *arg)
{
	starpu_data_handle_t mine = own_handle[(intptr_t)arg];

	for (int i = 0; i < TASKS; i++) {
		insert(&add_cl, mine, 1);
		insert(&add_cl, shared_handle, 1);
	}
	MUST(starpu_data_acquire(mine, STARPU_R));
	starpu_data_release(mine);
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	long total = 0;

	begin();
	shared_handle = number(&shared);
	for (int i = 0; i < THREADS; i++)
		own_handle[i] = number(&own[i]);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, submitter, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	starpu_data_unregister(shared_handle);
	for (int i = 0; i < THREADS; i++) {
		starpu_data_unregister(own_handle[i]);
		total += own[i];
	}
	printf("%ld %ld\n", shared, total);
	finish(THREADS * TASKS * 2);
	return 0;
}
