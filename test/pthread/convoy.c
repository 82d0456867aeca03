// SPDX-License-Identifier: MIT
// 400 OpenMP tasks that one pthread_mutex_t serialises; the argument is how many threads run them.
#include <pthread.h>
#include <stdlib.h>

#include "convoy.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
	long since = 0;

	spin(20000);
	if (pthread_mutex_trylock(&mutex)) {
		since = now_ns();
		pthread_mutex_lock(&mutex);
		waited(since);
	}
	spin(200000);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	began_ns = now_ns();
#pragma omp parallel num_threads(argc > 1 ? atoi(argv[1]) : 4)
#pragma omp single
	for (int i = 0; i < 400; i++)
#pragma omp task
		work();
	ended_ns = now_ns();
	convoy_print();
	return 0;
}
