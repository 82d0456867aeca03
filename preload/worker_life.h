/* SPDX-License-Identifier: MIT */
/*
 * worker_life.h - a worker off the hot path: how it is made, what it does where it looks up from
 * its work, and how it ends.
 *
 * At the end of its chunk the producer goes on in another.  Once half of its chunks are full it
 * wakes the collector; without a free one it waits for it, timed as the tracer's own
 * (TPTRACE_OVERFLOW=flush), or it drops and counts (drop).  For a collector that stands still it
 * waits no longer than WATCH_PATIENCE_NS, then it drops; in the place of one that died the first
 * worker that looks up puts another.
 *
 * While events are dropped the shims go on, and ids are given out.  A gap is told in the stream
 * once an event fits again that can stand first: one that begins a strand, or ends one of a task
 * that is known.  Details of what was dropped are dropped, too.
 *
 * When the thread exits its slot is free for a later thread, which goes on in the same chunk.
 * Worker memory is never unmapped while the process runs: a detached thread may still write.
 */
#pragma once

#include "preload/worker.h"

/* Makes room for an event with that operand: waits, or drops it and returns false.  Only when
 * head >= limit. */
bool worker_make_room(struct worker *worker, enum wire_kind kind, uint64_t b);

/* The worker's task is a root from these ticks on, or, 0, from now; false if it has a task. */
bool worker_make_root(struct worker *worker, uint64_t ticks);

/* Frees the worker's slot for another thread. */
void worker_detach(struct worker *worker);

/* Whether a strand runs on the worker, by its last events; of one's own worker, off the hot path.
 */
bool worker_runs(const struct worker *worker);

/* Makes a worker of zeroed memory of worker_place(), whose first pages are this process's, and that
 * uses chunk_slots of each chunk, sizes->slots at most.  The first chunk has memory. */
struct worker *worker_make(void *memory, uint32_t index, const struct chunk_sizes *sizes,
			   uint32_t chunk_slots, const struct clock *slow_clock);
/* Maps a worker's memory for this process alone; NULL if that fails. */
struct worker *worker_map(uint32_t index, const struct chunk_sizes *sizes, uint32_t chunk_slots,
			  const struct clock *slow_clock);
void worker_unmap(struct worker *worker);

/* An event of the slow path's own, which has seen that there is a slot. */
static inline void worker_put(struct worker *worker, uint64_t a, uint64_t b)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	worker_fill(&worker->slot[head], a, b);
	atomic_store_explicit(&worker->head, head + 1, memory_order_release);
}
