/* SPDX-License-Identifier: MIT */
/*
 * thin.h - a worker's chunk is thinned by the worker itself, while it is hot in its cache.
 *
 * A raw event that crosses to the collector's core costs more than to take it out where it was
 * made, and one collector is slower than many workers.  So in a session that collapses, where the
 * worker's chunk ends the collector's own pass (collector.h, `thin`) runs over it on the worker's
 * thread, from that chunk into a free one (collector/session/chunk.h).  What is taken out is
 * tallied there, too.  Unless more than half a chunk is left, the worker goes on behind that, and
 * the next pass leaves it as it is: a second pass costs more than it saves the collector.
 *
 * All functions are for the worker's own thread, off the hot path; none waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/session/chunk.h"

struct session;

/* Whether the workers of this session thin. */
bool thin_on(const struct session *session);

/*
 * Whether the worker has to do it: the collector has no CPU of its own, or is behind.  Else it has
 * the time to collapse what a worker makes.
 */
bool thin_pays(struct worker *worker, const struct session *session);

/* Thins n slots of the worker's chunk into a free one, `to`, which takes its place: how many are
 * left.  0: all is as it was, and the chunk goes to the collector as it is. */
uint32_t thin_chunk(struct worker *worker, struct session *session, uint32_t n, uint32_t to);
