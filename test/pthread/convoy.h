/* SPDX-License-Identifier: MIT */
/* convoy.h - a lock that serialises tasks, and what its waits come to as the program sees it. */
#pragma once

#include <stdio.h>
#include <time.h>

static inline long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static inline void spin(long ns)
{
	for (long end = now_ns() + ns; now_ns() < end;)
		;
}

/* Set with the lock held. */
static long n_waits, waited_ns;
static long began_ns, ended_ns;

static inline void waited(long since_ns)
{
	n_waits++;
	waited_ns += now_ns() - since_ns;
}

static inline void convoy_print(void)
{
	printf("%ld waits of %ld ns within %ld ns\n", n_waits, waited_ns, ended_ns - began_ns);
}
