/* SPDX-License-Identifier: MIT */
/*
 * alone.h - ends a process that only threads of ours are left of.
 *
 * Its main thread may have left by pthread_exit().  Then libc ends the process, with status 0, as
 * soon as the last thread ends, and does not know that the collector's are not the program's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The collector's thread, now and then: whether the main thread has ended, and there are no others
 * but these n, its own included.  Reads /proc; false where that is not to be had.
 */
bool alone_with(uint32_t n_own);

/* Ends the process as libc does: a thread with all signals calls exit(0), and the trace gets its
 * end from the collector as ever.  False if there is no thread to be had. */
bool alone_leave(void);
