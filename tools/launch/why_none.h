/* SPDX-License-Identifier: MIT */
/*
 * why_none.h - why record saw no task, from what processes said of themselves
 * (collector/session/launched.h) and from the files that they executed.
 *
 * Says what is known, and does not guess.  One thread.
 */
#pragma once

#include <stdbool.h>

struct launched;

struct why_none {
	char text[1024]; /* a clause: what, where, and what to do; "": it is not known */
	bool may_record; /* a process may have a trace that record cannot see */
};

/* Finds it.  launched may be NULL. */
void why_none_find(struct why_none *why, const struct launched *launched);

/* Prints, for each reason, how many processes could not be recorded though others may be. */
void why_none_say_unrecorded(const struct launched *launched);
