/* SPDX-License-Identifier: MIT */
/* rewrite.h - writes a slice with what closed tasks come to in the place of their events. */
#pragma once

#include "collector/collapse/collapse_state.h"

/*
 * Copies the slice, of which c->closed was found, to `out`: how many events are written. WIRE_TALLY
 * is left out.  WIRE_TRACER inside closed tasks are added up.  Tallies the tasks that are
 * collapsed.
 */
uint32_t rewrite(struct collapse *c, const struct slice *source, struct wire_event *out);
