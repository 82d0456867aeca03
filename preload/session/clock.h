/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the time stamp counter, and all else in the recorder that depends on the machine.
 *
 * Ticks are those of the generic timer (aarch64); of the invariant TSC (x86-64) where the kernel
 * itself keeps time by it, or could and all CPUs' agree (virtual machines often have a clock of
 * their own, which takes three times as long to read), or the user asks for it; else ns of
 * CLOCK_MONOTONIC.  How ticks become ns is for the reader to work out, from pairs of both clocks
 * that the collector writes along the way.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "preload/session/export.h"

enum clock_source { CLOCK_SOURCE_TSC, CLOCK_SOURCE_CNTVCT, CLOCK_SOURCE_MONOTONIC };

/* The user's wish: TPTRACE_CLOCK. */
enum clock_wish { CLOCK_WISH_NONE, CLOCK_WISH_TSC, CLOCK_WISH_MONOTONIC };

/* One instant on both clocks; `ns` is CLOCK_MONOTONIC. */
struct clock_pair {
	uint64_t ticks, ns;
};

/*
 * What this machine can be trusted with, or else what is asked for.  A TSC whose rate the processor
 * does not promise to keep is never chosen.  cpus_agree (clock_cpus.h) is called where the kernel
 * keeps time by another clock, though it knows the TSC; NULL: it is not taken then.
 */
enum clock_source clock_probe(enum clock_wish wish, bool (*cpus_agree)(void));
/* From now on CLOCK_MONOTONIC is read by libc's own function, whatever is preloaded. */
void clock_find(void);
const char *clock_source_name(enum clock_source source); /* "tsc", .. */
uint64_t clock_monotonic_ns(void) EXPORT_AS(clock_monotonic_ns);
/* The CPU time of one of this process's threads; of the calling one, for 0.  False if the system
 * does not tell.  A bare system call, which keeps errno. */
bool clock_cpu_ns(uint32_t thread, uint64_t *ns);
uint64_t clock_ticks_by(enum clock_source source);
struct clock_pair clock_pair(enum clock_source source);

/* Hot path: the counter.  Only where clock_probe() did not say CLOCK_SOURCE_MONOTONIC. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return clock_monotonic_ns();
#endif
}
