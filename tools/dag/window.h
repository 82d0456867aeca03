/* SPDX-License-Identifier: MIT */
/*
 * window.h - the window ends with the last activity of tasks, not with what a root does when there
 * is nothing left to do with tasks.
 *
 * Runtimes end their threads when they are shut down, or when the process exits: the main thread
 * then yields, or waits for a lock or a thread, long after the last task.  Neither that nor the
 * program's own locks at that time are activities of a task runtime.  A trace of roots alone is
 * left as it is.
 */
#pragma once

#include "tools/dag/state.h"

/*
 * After the last event: drops the trailing strands of roots that nothing led to but the root's own
 * yield, or its wait for a lock or a thread, and ends the window before them.  0 or -ENOMEM.
 */
int window_cut(struct state *state);
