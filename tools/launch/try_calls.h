/* SPDX-License-Identifier: MIT */
/*
 * try_calls.h - finds out which system calls a filter refuses, and which limits leave too little,
 * before anything depends on them.
 */
#pragma once

/*
 * 0, or -errno of the first call that is refused of those by which record waits for its children
 * and talks with its collector.  Without one of them it would never end, or not as the program
 * does.  Leaves no descriptor, and no child that has ended is reaped.
 */
int try_calls(void);

/* 0; -EMFILE or -EAGAIN: descriptors or processes are too few for a collector. */
int try_limits(void);
