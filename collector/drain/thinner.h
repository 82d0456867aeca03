/* SPDX-License-Identifier: MIT */
/*
 * thinner.h - the collector's pass over events, for a worker's thread to run (preload/worker.c).
 *
 * A struct thinner has a struct collapse (collapse.h) of a small table.  Where next to nothing can
 * be collapsed it tries some of the events only.  See preload/collector.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "collector/session/layout.h"

struct thinner;
struct slice;
struct wire_event;

size_t thinner_bytes(void);
uint32_t thinner_run(struct thinner *thinner, const struct session *session, struct slice *slice,
		     struct wire_event *out);
