/* SPDX-License-Identifier: MIT */
/*
 * launch.h - runs a program with a collector beside it, and ends as the program does.
 *
 * This process is the program's parent and does nothing but wait: signals that it is sent go on to
 * the program, it stops and goes on with it, and its status, or the signal that kills it, is the
 * program's.  The collector is another child, away from the terminal.  The program has its
 * descriptors, folder, mask and dispositions as this process got them.
 *
 * What the program leaves behind becomes this process's child (PR_SET_CHILD_SUBREAPER), which reaps
 * it, and waits until the traces of all that have a task runtime are whole, or until a signal that
 * would end it comes.
 */
#pragma once

/*
 * Returns the exit status, or, if it can do nothing, -errno before anything was started: then the
 * program may still be run without.  `not_started` is called in the program's process when it
 * cannot be executed, with errno, and gives the exit status.
 */
int launch(char **command, int (*not_started)(const char *program));

/* Makes the TPTRACE_OUTPUT that a program inherits mean the same from whatever directory. */
void launch_fix_output(void);
