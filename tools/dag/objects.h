/* SPDX-License-Identifier: MIT */
/*
 * objects.h - which object a wait is for, or a signal was given: of locks, bits and the like.
 */
#pragma once

#include "tools/dag/state.h"

/* The strand ended by a wait for that object, or by a signal of it. */
void object_note(struct state *state, strand_id strand, uint64_t object);

/* All are noted: brings them in the order of their strands. */
void object_sort(struct state *state);
