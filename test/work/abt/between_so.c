// SPDX-License-Identifier: MIT
// between_so.c - what a tool that counts calls has: entry points that pass them on.
// part-of: between.c
#define _GNU_SOURCE
#include <abt.h>
#include <dlfcn.h>

#define PASSES(name, parameters, arguments)                                                        \
	int name parameters                                                                        \
	{                                                                                          \
		int(*next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                \
                                                                                                   \
		return next arguments;                                                             \
	}

PASSES(ABT_thread_create,
       (ABT_pool pool, void (*func)(void *), void *arg, ABT_thread_attr attr, ABT_thread *made),
       (pool, func, arg, attr, made))
PASSES(ABT_thread_free, (ABT_thread * thread), (thread))
PASSES(ABT_task_create, (ABT_pool pool, void (*func)(void *), void *arg, ABT_task *made),
       (pool, func, arg, made))
PASSES(ABT_task_free, (ABT_task * task), (task))
