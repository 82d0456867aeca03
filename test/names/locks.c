/* SPDX-License-Identifier: MIT */
/* locks.c - tasks that hold locks for a while: variables of all sorts, and one on the heap. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TASKS 8

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
omp_lock_t table_lock;
struct {
	long n;
	omp_lock_t lock;
} pool;

/* Long enough for another worker to come. */
static void hold(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
}

static void with_lock(omp_lock_t *lock)
{
	omp_set_lock(lock);
	hold();
	omp_unset_lock(lock);
}

static void all(omp_lock_t *on_heap)
{
#pragma omp critical(histogram)
	hold();
#pragma omp critical
	hold();
	with_lock(&table_lock);
	with_lock(&pool.lock);
	with_lock(on_heap);
}

/* A mutex is traced only where a task waits: the first that has it waits for another one. */
static void with_mutex(void)
{
	static atomic_int n_begun;

	atomic_fetch_add(&n_begun, 1);
	pthread_mutex_lock(&guard);
	for (int i = 0; i < 2000 && atomic_load(&n_begun) < 2; i++)
		hold();
	hold();
	pthread_mutex_unlock(&guard);
}

int main(void)
{
	omp_lock_t *on_heap = malloc(sizeof(*on_heap));

	omp_init_lock(&table_lock);
	omp_init_lock(&pool.lock);
	omp_init_lock(on_heap);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < TASKS; i++) {
#pragma omp task
			all(on_heap);
		}
#pragma omp taskwait
		for (int i = 0; i < TASKS; i++) {
#pragma omp task
			with_mutex();
		}
	}
	puts("done");
	free(on_heap);
	return 0;
}
