/* SPDX-License-Identifier: MIT */
/* brief.c - ends by _exit $1 us after another thread went to run its first tasks. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *work(void *arg)
{
	volatile int n = 0;

	(void)arg;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task shared(n)
		n++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	usleep(argc > 1 ? (useconds_t)atoi(argv[1]) : 0);
	_exit(7);
}
