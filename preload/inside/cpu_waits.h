/* SPDX-License-Identifier: MIT */
/* cpu_waits.h - how long threads of this process waited for a CPU, for the collector's thread. */
#pragma once

#include "collector/definitions/cputimes.h"

/*
 * A cputimes_reader: the thread's own clock, which is exact, and its waits, where this process can
 * read /proc/self/task/TID/schedstat and the kernel counts.  Never blocks, keeps no file open, and
 * keeps errno.  `arg` is not used.
 */
enum cputimes_source waits_read(void *arg, uint32_t thread, struct cputimes_reading *out);

/* What a thread of this process waited for a CPU, in ns; false: that is not known.  Likewise. */
bool waits_of(uint32_t thread, uint64_t *wait_ns);
