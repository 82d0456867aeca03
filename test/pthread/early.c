/* SPDX-License-Identifier: MIT */
/*
 * early.c - a malloc() that locks, from the first call on, which is the loader's, and whenever
 * dlsym() needs memory: to be preloaded.
 */
#include <pthread.h>
#include <stddef.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void __libc_free(void *old);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(result, name, parameters, arguments)                                                \
	result name parameters                                                                     \
	{                                                                                          \
		pthread_mutex_lock(&mutex);                                                        \
		result made = __libc_##name arguments;                                             \
                                                                                                   \
		pthread_mutex_unlock(&mutex);                                                      \
		return made;                                                                       \
	}

LOCKED(void *, malloc, (size_t bytes), (bytes))
LOCKED(void *, calloc, (size_t n, size_t bytes), (n, bytes))
LOCKED(void *, realloc, (void *old, size_t bytes), (old, bytes))

void free(void *old)
{
	pthread_mutex_lock(&mutex);
	__libc_free(old);
	pthread_mutex_unlock(&mutex);
}
