/* SPDX-License-Identifier: MIT */
/*
 * clock.h - the time stamp counter, and all else in the recorder that depends on the machine.
 *
 * Ticks are those of the generic timer (aarch64); of the invariant TSC (x86-64) where the kernel
 * itself keeps time by it, or the user asks for it, or all CPUs' agree and the kernel or the host
 * vouches for them: the kernel lists it, or reads its clock without a system call (virtual machines
 * often have a clock of their own, which takes three times as long to read); else ns of
 * CLOCK_MONOTONIC.  How ticks become ns is for the reader to work out, from pairs of both clocks
 * that the collector writes along the way.
 *
 * Where the counters of CPUs differ, the clock is CLOCK_MONOTONIC, and the trace says by how much
 * they do.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collector/session/exported.h"

enum clock_source { CLOCK_SOURCE_TSC, CLOCK_SOURCE_CNTVCT, CLOCK_SOURCE_MONOTONIC, CLOCK_SOURCES };

/* The user's wish: TPTRACE_CLOCK. */
enum clock_wish { CLOCK_WISH_NONE, CLOCK_WISH_TSC, CLOCK_WISH_MONOTONIC };

/* One instant on both clocks; `ns` is CLOCK_MONOTONIC. */
struct clock_pair {
	uint64_t ticks, ns;
};

/* In memory that the program shares with its collector. */
struct clock {
	enum clock_source source;
	uint64_t cpus_off_ns; /* why it is not the TSC: CPUs' differ by so much; 0: they do not, or
			       * nobody knows */
};

/* Whether all CPUs have one counter. */
typedef bool clock_agree(void);

/*
 * What this machine can be trusted with, or else what is asked for.  A TSC whose rate the processor
 * does not promise to keep is never chosen.  `agree` is asked where the kernel keeps time by
 * another clock; NULL: that is taken then.
 */
enum clock_source clock_probe(enum clock_wish wish, clock_agree *agree);
/* From now on CLOCK_MONOTONIC is read by libc's own function, whatever is preloaded. */
void clock_find(void);
const char *clock_source_name(enum clock_source source); /* "tsc", .. */
uint64_t clock_monotonic_ns(void) EXPORT_AS(clock_monotonic_ns);
/* The CPU time of one of this process's threads; of the calling one, for 0.  False if the system
 * does not tell.  A bare system call, which keeps errno. */
bool clock_cpu_ns(uint32_t thread, uint64_t *ns) EXPORT_AS(clock_cpu_ns);
/* Likewise of all threads of a process, the ended ones, too; of this process, for 0. */
bool clock_process_ns(uint32_t pid, uint64_t *ns);
uint64_t clock_ticks_by(const struct clock *clock);
struct clock_pair clock_pair(const struct clock *clock) EXPORT_AS(clock_pair);

/* The clock, if it takes more than clock_ticks() to read; else NULL. */
static inline const struct clock *clock_slow(const struct clock *clock)
{
	return clock->source == CLOCK_SOURCE_MONOTONIC ? clock : NULL;
}

/*
 * Hot path: the next reading comes after all that stands before has been done, and loaded.  The
 * processor reads its counter when it likes, also before it has the cache line of a lock that it is
 * about to take.  (RDTSCP does the same, takes longer, and is not there in all virtual machines.)
 */
static inline void clock_fence(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#else
	__asm__ volatile("isb" ::: "memory");
#endif
}

/* Hot path: the counter.  Only where clock_probe() did not say CLOCK_SOURCE_MONOTONIC. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
#else
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#endif
}

/* Hot path: the counter << shift, + low; low < 1 << shift. */
static inline uint64_t clock_ticks_shifted(unsigned shift, uint64_t low)
{
#if defined(__x86_64__)
	uint64_t least, most; /* 32 bits each, and zeros */

	__asm__ volatile("rdtsc" : "=a"(least), "=d"(most));
	return (most << (32 + shift)) + (least << shift) + low; /* less than by clock_ticks() */
#else
	return (clock_ticks() << shift) + low;
#endif
}

/* ---- whether the counter is the same on all CPUs: clock_cpus.c ---- */

/* Each CPU's counter is compared with CLOCK_MONOTONIC, which is one for all.  What is measured is
 * no better than a call of clock_gettime() is short. */
#define CLOCK_CPUS_MOST 16u /* that are visited, spread evenly over those that there are */
#define CLOCK_OFF_MOST_NS 20u

struct clock_cpus {
	uint32_t n;	    /* visited; 0: none could be */
	uint64_t off_ns;    /* the largest difference from the first */
	uint64_t unsure_ns; /* by how much that may be wrong */
};

/*
 * Moves the calling thread from CPU to CPU of those that it may use, and leaves it on one: some
 * 10 us for each.  Keeps errno.
 */
struct clock_cpus clock_cpus_measure(void);

/* Whether they are close enough for time stamps of different CPUs to be compared. */
bool clock_cpus_agree(const struct clock_cpus *cpus);
