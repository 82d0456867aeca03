/* SPDX-License-Identifier: MIT */
/* schedstat.h - what the kernel says in /proc of the CPU times of another process's threads,
 * and of the CPUs that they may use. */
#pragma once

#include "collector/definitions/cputimes.h"

/* A cputimes_reader.  `pid` is an int, of a process of this PID namespace; 0: of none. */
enum cputimes_source schedstat_read(void *pid, uint32_t thread, struct cputimes_reading *out);
