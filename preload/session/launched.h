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

/*
 * The byte of a descriptor, and by what the variable says, to be written to at any time; it stays
 * mapped.  NULL for -1, NULL, and without memory: then record says less than it could, or more.
 */
char *launched_byte(int fd);
char *launched_byte_by(const char *value);
void launched_tick(char *byte); /* NULL is fine */
