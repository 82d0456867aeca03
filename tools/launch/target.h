/* SPDX-License-Identifier: MIT */
/*
 * target.h - the program that record is to run: which file it is, and whether it can be recorded.
 *
 * One thread.  Needs no /proc.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The file that execvp() would take; false if there is none.  `room` is in bytes. */
bool target_find(const char *name, char *out, size_t room);

/*
 * Why nothing can be preloaded into that file when this process runs it, as a phrase that follows
 * its name; NULL if it can be recorded, or the kernel is the one to say that it cannot run.
 */
const char *target_why_not(const char *path);

/* Whether that file itself is linked to a library whose file name begins so. */
bool target_is_linked(const char *path, const char *library);
