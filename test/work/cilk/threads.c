// SPDX-License-Identifier: MIT
// Threads of the program's own that spawn, one after the other and at once.
#include <pthread.h>
#include <stdio.h>
#include "fib.h"

static void *run(void *arg)
{
	return (void *)fib((long)arg);
}

int main(void)
{
	pthread_t thread[6];
	void *result;

	for (long i = 0; i < 3; i++) {
		pthread_create(&thread[0], NULL, run, (void *)(10 + i));
		pthread_join(thread[0], &result);
		printf("%ld\n", (long)result);
	}
	for (long i = 0; i < 6; i++)
		pthread_create(&thread[i], NULL, run, (void *)(10 + i));
	for (int i = 0; i < 6; i++) {
		pthread_join(thread[i], &result);
		printf("%ld\n", (long)result);
	}
	puts("tptrace-tasks 2897");
	return 0;
}
