/* SPDX-License-Identifier: MIT */
/*
 * activity.h - when a runtime was at work, in a process that used several.
 *
 * From the first creation of one of its tasks, or the first strand of one, to the last strand of
 * one, or the last strand that such a strand let go on.  Threads that create its tasks may have
 * been there before, and after, with another runtime.
 */
#pragma once

#include "tools/analysis/select.h"
#include "tools/dag/dag.h"

/*
 * What is selected of that time; `select` NULL: of all.  All of it, if none of the runtime's tasks
 * began.  `out` is freed by select_free().  0 or -ENOMEM.
 */
int activity_select(const struct dag *dag, uint32_t runtime, const struct select *select,
		    struct select *out);
