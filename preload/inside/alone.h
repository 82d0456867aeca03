/* SPDX-License-Identifier: MIT */
/*
 * alone.h - ends a process that only threads of ours are left of.
 *
 * Its main thread may have left by pthread_exit().  Then libc ends the process, with status 0, as
 * soon as the last thread ends, and does not know that the collector's are not the program's.
 */
#pragma once

#include <stdint.h>

/*
 * The collector's thread, while there is nothing to take, checks from *next_ns on: if the main
 * thread has ended, and there are no others but these n, its own included, a thread with all
 * signals calls exit(0), as libc would, and the trace gets its end from the collector as ever.
 */
void alone_check(uint32_t n_own, uint64_t *next_ns);
