/* SPDX-License-Identifier: MIT */
/* fib.c - a pthread for each call, some joined by trying, some that end by pthread_exit(). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void *fib(void *arg)
{
	long n = (long)arg;
	pthread_t first, second;
	void *a, *b;

	if (n < 2)
		return arg;
	pthread_create(&first, NULL, fib, (void *)(n - 1));
	pthread_create(&second, NULL, fib, (void *)(n - 2));
	if (n % 2)
		pthread_join(first, &a);
	else
		while (pthread_tryjoin_np(first, &a) != 0)
			sched_yield();
	pthread_join(second, &b);
	if (n % 3 == 0)
		pthread_exit((void *)((long)a + (long)b));
	return (void *)((long)a + (long)b);
}

static long calls(long n)
{
	return n < 2 ? 1 : 1 + calls(n - 1) + calls(n - 2);
}

int main(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, fib, (void *)14);
	pthread_join(thread, &result);
	printf("fib(14) = %ld\ntptrace-tasks %ld\n", (long)result, calls(14));
	return 0;
}
