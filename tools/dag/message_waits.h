/* SPDX-License-Identifier: MIT */
/*
 * message_waits.h - the messages that waits were for, with the times of the waits.
 *
 * They stay where the window is cut: a rank that has no more tasks may wait long for others.
 */
#pragma once

#include "tools/dag/state.h"

/* What a `message` event says of the wait that ended the strand. */
void messages_add(struct state *state, strand_id wait, unsigned field, uint64_t value);

/* When each wait began and ended: before the window is cut. */
void messages_time(struct state *state);
/* After that: a wait whose strand is dropped follows on the last one that its task still has. */
void messages_cut(struct dag *dag);
