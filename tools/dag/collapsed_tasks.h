/* SPDX-License-Identifier: MIT */
/*
 * collapsed_tasks.h - collapsed tasks: one record stands for a task, or a part of it, and for
 * all tasks below that.
 *
 * A record is whole in a trace without losses: the event that begins a strand, the COLLAPSED
 * fields, and the event that ends the strand.  Where a gap or the end of the trace cuts it,
 * collapsed_settle() keeps the fields that it can.
 */
#pragma once

#include "tools/dag/state.h"

/* Reads one field of the record of the strand that began just before. */
int collapsed_event(struct state *state);
/* Whether the record of the strand, which ends now, is valid; true without a record. */
bool collapsed_record_fits(const struct state *state, strand_id s);
static inline bool collapsed_fits(const struct state *state, strand_id s)
{
	return !(state->dag->how[s] & STRAND_COLLAPSED) || collapsed_record_fits(state, s);
}
/* The strand ends now: what came after was the end of its task's own last strand. */
void collapsed_shorten(const struct state *state, strand_id s);
/* At the end: strands that a gap, or the end of the trace, cut off keep what is known; rounding is
 * evened out. */
void collapsed_settle(struct state *state);
