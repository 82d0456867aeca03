/* SPDX-License-Identifier: MIT */
/*
 * err.h - what went wrong, told once by whoever knows the file and the byte.
 *
 * Functions that can fail return 0 or -errno and fill the struct err that they were handed; it
 * is passed up untouched and printed by the command alone.
 */
#pragma once

#include <errno.h>

/* The call names a kind, a phase or the like that its trace does not have: the call is wrong. */
#define ERR_NAME ENXIO

struct err {
	int code; /* 0, or the -errno that was returned */
	char text[400];
};

/* Fills *err (unless NULL), control characters as `?`, and returns -code, to be returned. */
int err_set(struct err *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "out of memory"; -ENOMEM. */
int err_no_memory(struct err *err);
