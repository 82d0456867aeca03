/* SPDX-License-Identifier: MIT */
/* spin.h - work that takes a known time of a thread's CPU, however busy the machine is. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void spin_us(uint64_t us)
{
	uint64_t end = cpu_ns() + us * 1000;

	while (cpu_ns() < end)
		;
}

/* Much shorter: some 100 ns. */
static inline void count_to(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("" : "+r"(i));
}
