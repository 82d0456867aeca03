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

#include "collector/session/export.h"

/*
 * The process may be gone after this: all that was recorded is in the file, and the file has a
 * clean end, which says `how` (a constant, e.g. "by exec").  If it goes on, so does the recording.
 */
void life_leaves(const char *how) EXPORT_AS(life_leaves);

/* It is not gone: what life_leaves() announced has failed. */
void life_stays(void) EXPORT_AS(life_stays);

/* The process ends: nothing is recorded from here on. */
void life_ends(const char *how) EXPORT_AS(life_ends);

/* The destructors of libraries begin to run: the file has an end as above. */
void life_fades(void) EXPORT_AS(life_fades);

/* Before a fork that runs no handlers (_Fork), and in its child, whose session is another one. */
void life_forks(void) EXPORT_AS(life_forks);
void life_forked(void) EXPORT_AS(life_forked);
