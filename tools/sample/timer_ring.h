/* SPDX-License-Identifier: MIT */
/*
 * timer_ring.h - samples that a worker's thread takes of itself (collector/session/sample_place.h).
 *
 * The collector's thread only; nothing that the program wrote is trusted.
 */
#pragma once

#include "collector/session/sample_place.h"
#include "tools/sample/sample_ring.h"

/* Takes the oldest; `lost_seen`: of the place's losses, those that were told of. */
void timer_ring_take(struct sample_place *place, uint64_t *lost_seen, struct sample *sample);
