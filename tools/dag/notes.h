/* SPDX-License-Identifier: MIT */
/* notes.h - what else a trace says of strands: objects, counts and messages. */
#pragma once

#include "tools/dag/state.h"

/* The strand ended by a wait for that object (a lock, a bit, ..), or by a signal of it. */
void object_note(struct state *state, strand_id strand, uint64_t object);
/* All are noted: brings them in the order of their strands. */
void object_sort(struct state *state);

/* Of a counter, a column of the dag, which is there from its first count on.  The event at hand,
 * WIRE_COUNTER, is of the strand that runs on its worker.  0 or -errno. */
int count_note(struct state *state);
/* All are noted: gives each column an entry for each strand. */
void count_finish(struct state *state);

/* What a `message` event says of the wait that ended the strand.  Messages stay where the window is
 * cut: a rank that has no more tasks may wait long for others. */
void messages_add(struct state *state, strand_id wait, unsigned field, uint64_t value);
/* When each wait began and ended: before the window is cut. */
void messages_time(struct state *state);
/* After that: a wait whose strand is dropped follows on the last one that its task still has. */
void messages_cut(struct dag *dag);
