/* SPDX-License-Identifier: MIT */
/* convoy.h - a lock that serialises tasks, and what its waits come to as the program sees it. */
#pragma once

#include <stdio.h>

#include "../bench/now.h"

static inline void spin(long ns)
{
	for (uint64_t end = now_ns() + (uint64_t)ns; now_ns() < end;)
		;
}

/* Set with the lock held. */
static long n_waits, waited_ns;
static long began_ns, ended_ns;

static inline void waited(long since_ns)
{
	n_waits++;
	waited_ns += (long)now_ns() - since_ns;
}

static inline void convoy_print(void)
{
	printf("%ld waits of %ld ns within %ld ns\n", n_waits, waited_ns, ended_ns - began_ns);
}
