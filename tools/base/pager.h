/* SPDX-License-Identifier: MIT */
/*
 * pager.h - an answer that is taller than the terminal goes to the user's pager.
 *
 * Standard output is held in memory until the answer is whole: progress and messages on standard
 * error do not meet the pager, and nobody waits for it while a command still works.
 */
#pragma once

#define PAGER_VARIABLE "TPTRACE_PAGER"

/*
 * Holds what is printed from here on, if standard output is a terminal that can be asked for its
 * height, until pager_show() or the exit.  Once in a process.
 */
void pager_hold(void);

/* Shows what is held: by $TPTRACE_PAGER, $PAGER or less if it is taller than the terminal, else,
 * and where there is no pager or it is empty or "cat", as it is.  Then goes on holding. */
void pager_show(void);

/* Where people read: the terminal behind what is held, or standard output. */
int pager_terminal(void);
