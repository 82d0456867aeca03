/* SPDX-License-Identifier: MIT */
/*
 * threads.h - how many threads a command works on, and pieces of work on so many.
 *
 * As many as the process has CPUs, unless the user wants another number.  What comes out is the
 * same whatever their number is.  The caller is one of the threads: only further ones are made,
 * and where the system refuses one, the others do its share.
 */
#pragma once

#include <stdint.h>

#define THREADS_MOST 1024u

/* The user wants so many, up to THREADS_MOST; 0: the usual number.  While no other thread runs. */
void threads_want(uint32_t n);

/* The CPUs that the process may use, at most THREADS_MOST. */
uint32_t threads_usual(void);

/*
 * How many work on something of that size (strands, events): 1 if it is done before a second
 * thread has begun, unless the user wants more.
 */
uint32_t threads_for(uint64_t size);

/*
 * Calls work(context, i) for each i below n, in that order, on n_threads at once; returns when all
 * are done.  Pieces must not depend on one another.
 */
void threads_run(uint32_t n_threads, void (*work)(void *context, uint32_t i), void *context,
		 uint32_t n);
