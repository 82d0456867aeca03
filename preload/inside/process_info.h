/* SPDX-License-Identifier: MIT */
/*
 * process_info.h - what a process says of itself, written into its session when that starts.
 *
 * Called in the process, by the thread that starts the session.  The collector, wherever it is,
 * takes all of this from the session and nothing from the process that it runs in.
 *
 * A runtime may bind the first thread to a CPU before the session starts: so when the process began
 * and what it could do then are noted in a constructor.  A forked child began when it was forked,
 * which the kernel knows to 10 ms.
 */
#pragma once

#include "preload/session.h"

/* From a constructor: bare system calls alone, since libc may not be there yet. */
void process_note(void);

void process_info_gather(struct session *session);

/* Whether this is a child of the process that loaded us, by fork(). */
bool process_is_forked(void);

/* The program is about to put a filter on itself; false: and that has failed. */
void process_filters(bool on);

/* Whether the calling thread is under no more of seccomp than the process was: a filter of the
 * program's own may kill it for a file that it opens.  Keeps errno or not. */
bool process_may_open(void);
