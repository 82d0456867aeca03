/* SPDX-License-Identifier: MIT */
/*
 * collapse_plain.h - the pass of collapse.c in short, for what nearly all events are.
 *
 * Fine tasks create, wait, begin and end in a few ways that need no closer look.  Those are taken
 * in one loop, which has in registers what nearly all events change.  What it does not know it
 * leaves to collapse.c; the result is the same (limits->closely).
 */
#pragma once

#include "collector/collapse/collapse_state.h"

/* Takes events from the first on, while a task is open: how many. */
uint32_t collapse_plain(struct collapse *c, const struct wire_event *first, uint32_t n);
