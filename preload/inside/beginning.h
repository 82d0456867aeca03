/* SPDX-License-Identifier: MIT */
/*
 * beginning.h - when the process began, and what it could do then.
 *
 * A runtime may bind the first thread to a CPU before the session starts, so both are noted in a
 * constructor.  A forked child began when it was forked, which the kernel knows to 10 ms.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From a constructor: bare system calls alone, since libc may not be there yet. */
void beginning_note(void);

/* On CLOCK_MONOTONIC; 0: not known.  Off the hot path, by one thread at a time. */
uint64_t beginning_ns(void);

/* CPUs of its mask; 0: not known. */
uint32_t beginning_affinity(void);

/* The program is about to put a filter on itself; false: and that has failed. */
void beginning_filters(bool on);

/* Whether the calling thread is under no more of seccomp than the process was: a filter of the
 * program's own may kill it for a file that it opens.  Keeps errno or not. */
bool beginning_may_open(void);

/* What the quotas of its cgroups leave now, in thousandths of a CPU; 0: all.  As beginning_ns(). */
uint64_t beginning_quota_milli(void);
