/* SPDX-License-Identifier: MIT */
/*
 * annotations.h - what programs say of themselves to other profilers, as tptrace.h says it: names
 * of tasks' code, and regions.
 *
 * Any thread of the program calls, at any time.  Nothing is allocated.  Names are interned once a
 * place, so a later call from there costs a few loads; regions are marks, of which the collector
 * takes a thousand at a time, so a place has so many and no more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ANNOTATION_TEXT 128u /* of a name; the rest is cut */

/* The code that `from` is in runs tasks of that name. */
void annotation_name(uintptr_t from, const char *name);

/* A region of the process; `from` makes the begin.  False: that place has had its share, and the
 * end is not to be told either. */
bool annotation_begin(uintptr_t from, const char *name);
void annotation_end(const char *name);

/* Nested ones of the main thread, which is outside of tasks as a rule: others' are not regions. */
void annotation_push(uintptr_t from, const char *name);
void annotation_pop(void);

/* Recording is on or off from here on. */
void annotation_turn(bool on);
