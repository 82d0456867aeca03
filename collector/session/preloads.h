/* SPDX-License-Identifier: MIT */
/*
 * preloads.h - our libraries in the list that LD_PRELOAD is.
 *
 * They are known by the names of their files: another installation's are ours, too.  Any thread,
 * signal handlers too.
 */
#pragma once

#include <stdbool.h>

#define PRELOADS_ALL "libtpshim_all.so" /* the others in one, but for mthdl and device */

enum preloads_kept {
	PRELOADS_OTHERS, /* no library of ours */
	PRELOADS_ONCE,	 /* .. none that would take a function which another one takes before */
};

/* Whether the list has a library of ours; one that PRELOADS_ONCE leaves out; that file. */
bool preloads_has_ours(const char *list);
bool preloads_has_twice(const char *list);
bool preloads_has(const char *list, const char *file);

/* Copies the list; returns the end of the copy, which has no 0 yet. */
char *preloads_copy(char *to, const char *list, enum preloads_kept kept);
