/* SPDX-License-Identifier: MIT */
/*
 * stream.h - one worker's events: chunk -> pending buffer, where tasks are collapsed -> block.
 *
 * A stream takes events from the worker's chunks, by their numbers, and releases a chunk once all
 * of it is taken: a collector outside at once, which gives a worker at full speed more room; where
 * there is a ring file only with the block that has the events, as none of them shall be lost with
 * a killed process.  The encoder and the tables for collapsing are its thread's (drain_thread.h),
 * the file is the drain's.  Without collapsing nothing is pending: events are packed right from
 * their chunks.  Functions with a thread are for that thread, which has claimed the stream; all
 * others for the one that drains.  Counts in shared memory are not trusted: the program may have
 * written over them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/encode.h"
#include "collector/drain/checkpoint.h"
#include "collector/drain/pending.h"
#include "collector/trace/note.h"

struct drain;
struct drain_thread;

/* Events taken from a worker's chunks that are not in the file yet. */
struct stream {
	struct worker *worker; /* NULL: it is not mapped */
	uint32_t index;	       /* of the worker */
	struct pending_buffer pending;
	struct checkpoint reached; /* the events before that one were taken */
	uint32_t n_skip;	   /* slots taken next that no block gets (successor.c) */
	bool begun;
	uint32_t round;	      /* of drain.c: the last in which it was taken */
	_Atomic bool claimed; /* by a thread, which alone touches all of this then */
};

/* Whether the thread that asks has the stream from now on, until it leaves it. */
static inline bool stream_claim(struct stream *stream)
{
	return !atomic_load_explicit(&stream->claimed, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&stream->claimed, true, memory_order_acquire);
}
static inline void stream_leave(struct stream *stream)
{
	atomic_store_explicit(&stream->claimed, false, memory_order_release);
}

/* How many workers there are. */
uint32_t stream_workers(const struct drain *drain);

/* Makes streams for so many workers: how many have one.  Without memory for all, nothing more is
 * recorded, and what the others made is counted. */
uint32_t stream_find(struct drain *drain, uint32_t n_workers);

/* What the stream takes first is behind that checkpoint. */
void stream_begin(struct stream *stream, const struct checkpoint *at);

/* Whether chunks are released before a block has what was in them. */
bool stream_is_early(const struct drain *drain);

/* The checkpoint up to which the events of worker `index` were taken. */
const struct checkpoint *stream_reached(const struct drain *drain, struct worker *worker,
					uint32_t index);

/* How many events the worker made that were not taken yet; 0 if the number makes no sense. */
uint64_t stream_untaken(const struct drain *drain, struct worker *worker, uint32_t index);

/* Whether it is time to take the worker's chunks: so many are full, or it waits. */
bool stream_is_due(const struct drain *drain, struct worker *worker, uint32_t index);

/* The first events that the file will not have, if it ends now: those that nobody took. */
struct note_slots stream_left(const struct drain *drain, struct worker *worker, uint32_t index);

/* Takes the worker's full chunks; `all`: all that it had made when this was called.  True if it
 * took any. */
bool stream_take(struct drain_thread *thread, struct stream *stream, bool all);

/* Writes all pending events of a worker. */
void stream_put_pending(struct drain_thread *thread, struct stream *stream);

/*
 * Writes events that are in no chunk, before all others of the worker: with them the trace has
 * those up to `reached`.
 */
void stream_put(struct drain *drain, const struct stream *stream, const struct wire_event *event,
		uint32_t n, const struct checkpoint *reached);
