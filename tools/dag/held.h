/* SPDX-License-Identifier: MIT */
/*
 * held.h - notes of the recorder having held a worker, tied to the strand before or after them.
 *
 * WIRE_TRACER says how long, and stands before the event that had to wait.  An event that begins a
 * strand reads the clock last: the hold ends there.  Any other reads it first: the hold begins
 * there, or, before an untimed one, at the timed event before.  What is held while a strand runs
 * counts as work, and is not noted.
 */
#pragma once

#include "tools/dag/build.h"

/* Before an event of a worker that has held_ns.  0 or -ENOMEM. */
int held_before(struct build *build);
/* After it, if that left ties_hold. */
void held_after(struct build *build);
/* Before open strands are closed: what is still pending is of the end. */
int held_finish(struct build *build);
