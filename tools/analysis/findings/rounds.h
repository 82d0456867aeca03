/* SPDX-License-Identifier: MIT */
/* rounds.h - when there are tasks, who runs them, and how many are created from wait to wait. */
#pragma once

#include "tools/analysis/findings/clues.h"

/* From the first to the last strand of a task; of a program that has none, of members of teams. */
void rounds_find_tasks(struct clues *clues);
/* A task begins with the strand. */
void rounds_begin(struct clues *clues, strand_id s);
/* The strand ends. */
void rounds_end(struct clues *clues, strand_id s);
