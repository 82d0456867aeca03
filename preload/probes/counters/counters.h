/* SPDX-License-Identifier: MIT */
/*
 * counters.h - which counters there are, by name, and which of a list can be counted here.
 *
 * A list is "NAME,NAME,..".  tptrace has some names of its own, of what the kernel counts for each
 * thread; all others are PAPI's.  `tptrace record` looks at a list before it starts the program,
 * and the traced process once more.  A name behind `!` was told of before, if it is missing.
 *
 * The kernel's counts are those of getrusage(RUSAGE_THREAD) and of the thread's CPU clock: one
 * system call, 0.3 us on the machine at hand, where a read of perf_event_open()'s same software
 * events takes 1.2 us; and they are there for every user, with no descriptor.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTERS_VARIABLE "TPTRACE_COUNTERS"
#define COUNTERS_MOST 8u
#define COUNTER_NAME_BYTES 64u

/* In the order in which they are read before a strand. */
enum counter_source { COUNTER_USAGE, COUNTER_PAPI, COUNTER_CPU };

struct counter {
	char name[COUNTER_NAME_BYTES];
	char unit[8]; /* "ns", or "": a number */
	enum counter_source source;
	/* COUNTER_USAGE: words of struct rusage, to be added up; the second may be none, 0 */
	uint16_t word[2];
};

struct counters {
	uint32_t n;
	struct counter counter[COUNTERS_MOST]; /* those that can be counted */
	bool papi;			       /* one of them is PAPI's */
	uint32_t n_missing;
	char missing[512]; /* which are not, and why; "" */
	bool tell;	   /* one of these was not told of before */
};

/*
 * Looks what of a list can be counted by this thread.  0; or -EINVAL, and `wrong` says what is
 * wrong with the list: a name that nobody knows, too many of them.
 */
int counters_find(struct counters *counters, const char *list, char *wrong, size_t room);

/* Whether the first `bytes` bytes are the name of one that is counted. */
bool counters_has(const struct counters *counters, const char *name, size_t bytes);

/* The names of what there is, ", " between them, up to so many bytes. */
char *counters_names(char *out, size_t room);

/* Makes an event set of this thread's with those that are PAPI's.  PAPI_NO_SET if it cannot. */
int counters_papi_set(const struct counters *counters);
