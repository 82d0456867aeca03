/* SPDX-License-Identifier: MIT */
/* myth_dl.c - with -DLIBRARY a stand-in for libmyth-dl, whose threads run at once; else a user of
 * it. */
#include <pthread.h>
#include <stdio.h>

#ifdef LIBRARY

int myth_get_num_workers(void)
{
	return 1;
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*func)(void *), void *arg)
{
	(void)attr;
	*handle = (pthread_t)func(arg);
	return 0;
}

int pthread_join(pthread_t handle, void **result)
{
	*result = (void *)handle;
	return 0;
}

#else

static void *task(void *arg)
{
	return arg;
}

int main(void)
{
	void *result;
	pthread_t thread;
	long n = 0;

	for (long i = 0; i < 40; i++) {
		pthread_create(&thread, NULL, task, (void *)1);
		pthread_join(thread, &result);
		n += (long)result;
	}
	printf("%ld\n", n);
	return 7;
}

#endif
