/* SPDX-License-Identifier: MIT */
/*
 * papi.h - libpapi, loaded when somebody asks for a counter of its, and never linked.
 *
 * `tptrace record` loads it to look at names, a traced process to count.  A program that has
 * loaded libpapi itself keeps it for itself: PAPI has one running event set a thread.
 *
 * An event set counts for the thread that made it.  PAPI takes locks, allocates with the program's
 * malloc() and keeps descriptors open; papi_read() alone does none of that, and needs 8 KiB of
 * stack.  In a traced process all calls but papi_read() are made with the session's lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_NO_SET (-1)
#define PAPI_STACK_BYTES (256u << 10) /* for all calls */

enum papi_answer {
	PAPI_COUNTS,
	PAPI_UNKNOWN, /* it has no event of that name */
	PAPI_MISSING, /* it has, and this machine cannot count it */
	PAPI_CLASHES, /* not together with those before it in the set */
};

/* Whether libpapi is there, loaded and started; else *why says why not. */
bool papi_open(const char **why);

/* A set of this thread's, without events; PAPI_NO_SET if there is none to be had. */
int papi_make(void);
enum papi_answer papi_add(int set, const char *event);
/* Counts from now on.  False: it cannot. */
bool papi_start(int set);
/* The sums since then, by event in the order in which they were added, at most 8. */
bool papi_read(int set, long long *sums);
void papi_free(int set);

/* The thread is about to exit. */
void papi_leave(void);

/* Ends it: papi_open() starts it anew.  A forked child does so first: its sets are the parent's. */
void papi_close(void);
