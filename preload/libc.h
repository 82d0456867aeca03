/* SPDX-License-Identifier: MIT */
/*
 * libc.h - libc's own thread functions and clock, whoever else defines functions of these names.
 *
 * A runtime may take the place of pthread_create() and the rest with user-level threads
 * (MassiveThreads does, with libmyth-dl).  The recorder needs threads of the kernel.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/session/exported.h"

struct libc {
	int (*_Atomic thread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
				     void *);
	int (*_Atomic thread_tryjoin)(pthread_t, void **);
	int (*_Atomic thread_detach)(pthread_t);
	int (*_Atomic thread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*_Atomic key_create)(pthread_key_t *, void (*)(void *));
	int (*_Atomic setspecific)(pthread_key_t, const void *);
	int (*_Atomic setcancelstate)(int, int *);
	size_t (*_Atomic minstack)(const pthread_attr_t *); /* NULL: this libc does not say */
};

/* Looked up at the first lock or the session's start, by several threads at once, too. */
extern struct libc libc EXPORT_AS(libc);
void libc_find(void);

/* Starts a thread that gets no signals and may use so many bytes of stack, whatever thread-local
 * storage the program has.  0 or an error number. */
int libc_start_thread(pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *arg);

/* As pthread_join(), which ends the program where it may not call futex(2): this one looks again
 * and again. */
int libc_join_thread(pthread_t thread, void **value);

/*
 * Locks for what is off the hot path; 0 is free.  One that a thread held which a fork left behind
 * is free in the child.  Any thread; errno is kept.
 *
 * lock, unlock: the holder gets no signals, so that a handler that records finds the lock free, and
 * is not cancelled; they nest.  take, give: for what may run code of others, which keeps its
 * signals.
 */
void libc_lock(_Atomic uint32_t *lock) EXPORT_AS(libc_lock);
void libc_unlock(_Atomic uint32_t *lock) EXPORT_AS(libc_unlock);
void libc_take(_Atomic uint32_t *lock) EXPORT_AS(libc_take);
void libc_give(_Atomic uint32_t *lock) EXPORT_AS(libc_give);

/* Whether a thread sleeps until one of them may be free, or another has ended: it wakes by itself.
 */
bool libc_lock_awaited(void) EXPORT_AS(libc_lock_awaited);

/* In a forked child: all locks are free, those that its thread held across the fork, too. */
void libc_forked(void);
/* In a forked child that goes on as if nothing was: what its threads did not take is free. */
void libc_left_behind(void);

/* Whether the aligned word there can be read: a kernel that is asked for nonsense copies it first.
 * errno is kept. */
bool libc_can_read(const void *word) EXPORT_AS(libc_can_read);

/* Lets another kernel thread run; not a user-level one. */
void libc_yield(void) EXPORT_AS(libc_yield);
