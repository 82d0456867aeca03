/* SPDX-License-Identifier: MIT */
/*
 * release.h - gives slots of a ring back to its worker, and notes how its stream stands there.
 *
 * For stream.c; each function belongs to the lane that has the worker (lane.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/encode.h"
#include "collector/session/ring.h"

struct drain;

/* Guards counts that the program may have overwritten; others never wrap. */
static inline bool release_before(uint64_t a, uint64_t b)
{
	return (int64_t)(b - a) > 0;
}

/* How the worker's part of the trace stands: what its blocks hold. */
struct worker_taken *release_taken(struct drain *drain, struct worker *worker);

/* How the worker's stream stands where its tail is: no block may have what is before it. */
struct worker_taken release_stand(struct drain *drain, struct worker *worker);

/* What the worker made that n events of its ring stand for, from slot[first & mask] on. */
struct worker_made release_made(const struct wire_event *slot, uint64_t first, uint64_t mask,
				uint64_t n);

static inline void release_add(struct worker_made *made, const struct worker_made *more)
{
	made->events += more->events;
	made->tasks += more->tasks;
}

/* How many events were dropped where the next block of the worker is, which has the source's; where
 * slots are given back early, up to the tail. */
uint64_t release_dropped(struct drain *drain, struct worker *worker,
			 const struct encode_source *source);

/* Gives the slots up to `tail` back to the worker, who may be waiting for them. */
void release_slots(struct worker *worker, uint64_t tail);

/*
 * Whether slots are given back before their block is in the file.  That gives a worker at full
 * speed more room; but then a killed process takes them with it, and where there is a ring file
 * nothing of it shall be lost.
 */
bool release_is_early(const struct drain *drain);

/*
 * Gives the source's slots back, though no block has them.  If the collector dies before one has,
 * who goes on in its place finds how the stream stands at the tail (heir.c): that is written to the
 * half that the tail is not at yet.  `n_ids` of the source: behind its events; `made`: by them.
 */
void release_early(struct drain *drain, struct worker *worker, uint32_t index,
		   const struct encode_source *source, const struct worker_made *made);

/*
 * The task whose strand runs behind the events that have just been taken; `running` is
 * the one before them.  The id of a task that begins where it is made is the worker's last.
 */
uint64_t release_running(const struct encode_source *source, uint32_t worker, uint64_t running);
