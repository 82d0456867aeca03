/* SPDX-License-Identifier: MIT */
/*
 * held.h - notes of the recorder having held a worker, tied to the strand before or after them.
 *
 * WIRE_TRACER says how long, and stands before the event that had to wait.  An event that begins a
 * strand reads the clock last: the hold ends there.  Any other reads it first: the hold begins
 * there, or, before an untimed one, at the timed event before.  What is held while a strand runs
 * counts as work: it goes with the strand, if that is behind the window, and is no hold of the dag.
 */
#pragma once

#include "tools/dag/state.h"

struct held {
	struct state *state;
	uint64_t *ns; /* of each worker, before the event to come */
	bool ties;    /* the event at hand begins the strand of the newest hold */
};

void held_open(struct held *held, struct state *state);
void held_free(struct held *held);

/* The note itself: the worker at hand was held for so long. */
void held_note(struct held *held, uint64_t ns);
/* Before an event of a worker of which something is noted. */
void held_before(struct held *held);
static inline bool held_noted(const struct held *held)
{
	return held->ns[held->state->worker] != 0;
}
/* After it, if it ties. */
void held_after(struct held *held);
/* Before open strands are closed: what is still pending is of the time before the strand that runs,
 * or of the end. */
void held_finish(struct held *held);
