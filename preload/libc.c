/* SPDX-License-Identifier: MIT */
/* libc.c - finds libc's own thread functions. */
#include "preload/libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

struct libc libc = { pthread_create, pthread_join, pthread_sigmask, pthread_key_create,
		     pthread_setspecific };

static void find(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	if (found)
		*(void **)function = found;
}

/*
 * Where threads have a library of their own (glibc up to 2.33), what is bound anyway stays; and
 * with a sanitizer, which has to know of every thread.
 */
void libc_find(void)
{
	void *handle = dlopen("libc.so.6", RTLD_NOLOAD | RTLD_LAZY);

	if (!handle || dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace"))
		return;
	find(handle, "pthread_create", &libc.thread_create);
	find(handle, "pthread_join", &libc.thread_join);
	find(handle, "pthread_sigmask", &libc.thread_sigmask);
	find(handle, "pthread_key_create", &libc.key_create);
	find(handle, "pthread_setspecific", &libc.setspecific);
	dlclose(handle);
}

void libc_yield(void)
{
	int saved = errno;

	syscall(SYS_sched_yield);
	errno = saved;
}
