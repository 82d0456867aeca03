/* SPDX-License-Identifier: MIT */
/*
 * tried.c - two tasks hold a lock for a while: the first takes it by omp_test_lock(), or with an
 * argument by omp_test_nest_lock(), twice; the second waits for it.  Prints how long they held it
 * at least and at most.
 */
#include <omp.h>
#include <stdio.h>

#include "../bench/now.h"

static omp_lock_t lock;
static omp_nest_lock_t nest;
static int holds, waits, nested;
static long least_ns, most_ns;

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static __attribute__((noinline)) void first(void)
{
	long before = now_ns(), after, released;
	int n = nested ? omp_test_nest_lock(&nest) : omp_test_lock(&lock);

	if (nested)
		n = omp_test_nest_lock(&nest) - n;
	after = now_ns();
	if (n != 1)
		printf("not taken\n");
	__atomic_store_n(&holds, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	sleep_ms(30);
	if (nested)
		omp_unset_nest_lock(&nest);
	released = now_ns();
	if (nested)
		omp_unset_nest_lock(&nest);
	else
		omp_unset_lock(&lock);
	least_ns = released - after;
	most_ns = now_ns() - before;
}

static __attribute__((noinline)) void second(void)
{
	while (!__atomic_load_n(&holds, __ATOMIC_ACQUIRE))
		sleep_ms(1);
	if (nested ? omp_test_nest_lock(&nest) : omp_test_lock(&lock))
		printf("taken\n");
	__atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
	if (nested)
		omp_set_nest_lock(&nest);
	else
		omp_set_lock(&lock);
	if (nested)
		omp_unset_nest_lock(&nest);
	else
		omp_unset_lock(&lock);
}

int main(int argc, char **argv)
{
	(void)argv;
	nested = argc > 1;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
			first();
		} else {
#pragma omp task if (0)
			second();
		}
	}
	printf("%ld %ld\n", least_ns, most_ns);
	return 0;
}
