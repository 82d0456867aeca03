/* SPDX-License-Identifier: MIT */
/*
 * libc.h - libc's own thread functions, whoever else defines functions of these names.
 *
 * A runtime may take the place of pthread_create() and the rest with user-level threads
 * (MassiveThreads does, with libmyth-dl).  The recorder needs threads of the kernel.
 */
#pragma once

#include <pthread.h>
#include <signal.h>

#include "preload/export.h"
#include <signal.h>

struct libc {
	int (*thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*thread_join)(pthread_t, void **);
	int (*thread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*key_create)(pthread_key_t *, void (*)(void *));
	int (*setspecific)(pthread_key_t, const void *);
};

/* Looked up when the session starts; any thread may read it from then on. */
extern struct libc libc;
void libc_find(void);

/* Lets another kernel thread run; not a user-level one. */
void libc_yield(void) EXPORT_AS(libc_yield);
