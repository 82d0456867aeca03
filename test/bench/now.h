/* SPDX-License-Identifier: MIT */
/*
 * now.h - the time, and what a thread has had of it, for programs of many tests.
 *
 * Not clock_monotonic_ns() of preload/: these programs are also run with libtptrace.so preloaded,
 * and must not bring a copy of its functions along.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t now_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return now_of(CLOCK_MONOTONIC);
}

/* This thread's processor time: what others do to the machine shows less in it. */
static inline uint64_t now_cpu_ns(void)
{
	return now_of(CLOCK_THREAD_CPUTIME_ID);
}
