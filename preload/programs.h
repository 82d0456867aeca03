/* SPDX-License-Identifier: MIT */
/*
 * programs.h - says to the record around this process what it executes, and that it had no task.
 *
 * Without a record, or where its memory (collector/session/launched.h) cannot be had, nothing is
 * said.  No memory is allocated; errno is kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/session/launched.h"

/* record's memory, mapped when this process began; NULL. */
struct launched *programs_board(void);

/*
 * A program is about to be executed; `directory` and `path` as openat() takes them, with `ours` if
 * the environment that it gets has our libraries.  Signal handlers and children of vfork(), too.
 */
void programs_note(int directory, const char *path, bool ours);

/* This process, or one that it becomes or starts, is not recorded; or is after all (-1).  No system
 * call. */
void programs_note_unrecorded(enum launched_why why, int more);

/* Finds the file name of a task runtime's library in this process's memory; "" if there is none. */
void programs_runtime(char *out, size_t room);

/* This process ends, and there was no task.  Not in a signal handler. */
void programs_note_end(void);
