/* SPDX-License-Identifier: MIT */
/*
 * life.h - what ends, replaces or doubles the traced process.
 *
 * The wrappers (shims/common/exits.c) call these before the real _exit(), execve(), abort() and so
 * on. Any thread, signal handlers too; errno is kept; none fails.  They wait for the collector for
 * as long as it gets on.  In a child that shares the parent's memory (vfork), or that the recorder
 * does not know of (a bare clone), they do nothing: the session is not that child's.
 */
#pragma once

#include <stdbool.h>

#include "collector/session/exported.h"
#include "preload/collector.h"

/*
 * The recording pauses, since the process may be gone after this: all that was recorded is in the
 * file, and the file has a clean end, which says `how` (a constant, e.g. "by exec").  If the
 * process goes on, so does the recording.
 */
void life_pause(const char *how, enum leave leave) EXPORT_AS(life_pause);

/* The process goes on: what life_pause() announced has failed. */
void life_go_on(void) EXPORT_AS(life_go_on);

/* The process ends, and the recording is finished: nothing is recorded from here on. */
void life_finish(const char *how) EXPORT_AS(life_finish);

/* What the program got as it started a thread or a process, and gets: of a limit that the recorder
 * takes part of, the user hears. */
int life_lacks(int error) EXPORT_AS(life_lacks);

/* The destructors of libraries begin to run: the file has an end as above. */
void life_pause_at_exit(void) EXPORT_AS(life_pause_at_exit);

/*
 * The program is about to put a filter of system calls on itself, which may kill it for files that
 * are opened then.  So a recording that is likely to begin, as a task runtime is in memory, begins
 * before.  False: that call has failed, as where a program asks only whether there are filters.
 */
void life_filters(bool on) EXPORT_AS(life_filters);

/* Before a fork that runs no handlers (_Fork), and in its child, whose session is another one. */
void life_forks(void) EXPORT_AS(life_forks);
void life_forked(void) EXPORT_AS(life_forked);
