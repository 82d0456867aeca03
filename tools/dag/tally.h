/* SPDX-License-Identifier: MIT */
/* tally.h - how many tasks of each kind were collapsed, as the trace's definitions say. */
#pragma once

#include "tools/dag/kind.h"

/* Makes the kinds of those that were tallied. */
int tally_kinds(struct kinds *kinds);
/* Then, after collapsed_settle() and kind_sort(): what was tallied of each. */
int tally_read(struct state *state);
