/* SPDX-License-Identifier: MIT */
/* runtimes.h - which runtimes kinds, roots and workers of a dag in the making belong to. */
#pragma once

#include "tools/dag/state.h"

/* A root is of the runtimes whose tasks it creates; so it is told of a task that never began, or
 * that nobody saw begin: no first strand has its creator, so dag->creators does. */
void runtime_note_unseen(struct state *state, strand_id creator, task_id task);
/* At the end, once kinds and tallies are there. */
void runtime_find(struct state *state);
