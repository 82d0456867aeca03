/* SPDX-License-Identifier: MIT */
/*
 * launched.h - how record learns that a process below it uses a known runtime.
 *
 * A collector outside knows its clients.  A process that cannot reach it, or has a record of its
 * own in between, ticks a byte of shared memory that record holds: TPTRACE_LAUNCHED is "PID PATH",
 * the program's process and /proc/RECORD/fd/N; "PID" alone under record --inside, where record has
 * become the program.  Where /proc does not have it, nothing is ticked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LAUNCHED_VARIABLE "TPTRACE_LAUNCHED"

/* Makes the byte, and the PATH; the descriptor, close-on-exec, or -1. */
int launched_make(char *path, size_t room);

/* Whether it was ticked; false for -1. */
bool launched_is_ticked(int fd);

/* Ticks the byte itself, and by what the variable says (NULL: nothing). */
void launched_tick(int fd);
void launched_tick_by(const char *value);
