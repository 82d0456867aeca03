/* SPDX-License-Identifier: MIT */
/*
 * repeat.h - runs something several times, one after the other, each time in a process of its own.
 *
 * This process waits.  It stops and goes on with the other.  Signals that it is sent go on to that;
 * those that end programs also end the series.  One thread.
 */
#pragma once

/*
 * once(context, i), i from 1 to n, runs in a child and gives its exit status.  Returns the status
 * of the first that failed, or dies of the signal that it died of; 0.  A child that exits with 125
 * to 127 could not begin, and is the last.
 */
int repeat(unsigned n, int (*once)(void *context, unsigned i), void *context);
