/* SPDX-License-Identifier: MIT */
/* rewrite.h - puts what a task comes to in the place of its events. */
#pragma once

#include "collector/drain/collapse_state.h"

/* In the place of all that was written since the task's BEGIN, up to its END, which is at c->out
 * and stays to be written.  Tallies the tasks that are collapsed so. */
void rewrite(struct collapse *c, struct frame *frame, uint64_t now);
