/* SPDX-License-Identifier: MIT */
/*
 * stream.h - the way of one worker's events: ring -> hold, where tasks are collapsed -> block.
 *
 * A stream takes events from its ring and gives the slots back.  The encoder and the tables for
 * collapsing are its lane's (lane.h), the file is the drain's.  Without collapsing nothing is held:
 * events are packed right from the ring.  Functions with a lane belong to that lane's thread, which
 * has claimed the stream; all others to the one that drains.  Counts in shared memory are not
 * trusted: the program may have written over them.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/encode.h"
#include "collector/drain/fetch.h"
#include "collector/drain/hold.h"
#include "collector/trace/note.h"
#include "collector/session/ring.h"

struct drain;
struct lane;
struct trace_file;

/* Events taken from a worker's ring that are not in the file yet. */
struct stream {
	struct worker *worker; /* NULL: it is not mapped */
	struct hold hold;
	uint64_t to; /* the events of the ring before this one were taken */
	bool begun;
	struct fetch_rest rest; /* what the worker had claimed when it was waited for in vain; .. */
	uint64_t stalled;	/* .. and its word: it is not waited for again */
	uint64_t whole_ticks;	/* the worker's events before that were taken: of drain.c */
	uint32_t look;		/* likewise: the last in which it was taken */
	_Atomic bool claimed;	/* by a lane, which alone touches all of this then */
};

/* Whether the lane that asks has the stream from now on, until it leaves it. */
static inline bool stream_claim(struct stream *stream)
{
	return !atomic_load_explicit(&stream->claimed, memory_order_relaxed) &&
	       !atomic_exchange_explicit(&stream->claimed, true, memory_order_acquire);
}
static inline void stream_leave(struct stream *stream)
{
	atomic_store_explicit(&stream->claimed, false, memory_order_release);
}

static inline void stream_close(struct stream *stream) /* a zeroed one is fine */
{
	hold_free(&stream->hold);
	fetch_rest_free(&stream->rest);
}

/* How many workers there are. */
uint32_t stream_workers(const struct drain *drain);

/* Makes streams for so many workers: how many have one, which is fewer without memory. */
uint32_t stream_find(struct drain *drain, uint32_t n_workers);

/* Slots of a ring as it is now; the number is not trusted.  To be asked after its head. */
uint64_t stream_slots(const struct drain *drain, const struct worker *worker);

/*
 * How many events there are in a ring from `from` on.  Never more than it holds, and never less
 * than none, whatever is written in it.
 */
uint64_t stream_untaken(const struct drain *drain, const struct worker *worker, uint64_t from);

/* Whether a worker has events that it did not hand over yet. */
bool stream_is_fresh(const struct worker *worker);

/* The first events that the file will not have, if it ends now: those that nobody took.  `room` is
 * for NOTE_SLOTS of them. */
struct note_slots stream_left(const struct drain *drain, struct worker *worker, uint32_t index,
			      struct wire_event *room);

/* Where the worker's events begin that were not taken yet. */
uint64_t stream_to(const struct drain *drain, struct worker *worker, uint32_t index);

/* Takes a worker's events if there are at least n_least.  True if it took any. */
bool stream_take(struct lane *lane, struct worker *worker, uint32_t index, uint64_t n_least);

/*
 * Takes all that was there when it was called, in as many blocks as that makes; `patient` as in
 * fetch.h.  True if it took any.  *whole: nothing of it is left with the worker.
 */
bool stream_take_all(struct lane *lane, struct worker *worker, uint32_t index, bool patient,
		     bool *whole);

/*
 * At an end, or in a snapshot: writes what the worker had claimed and did not hand over.  Nothing
 * of it is taken: if the recording goes on, the worker hands it over.  `place`: where its stream
 * ends, moved on.  False if there was nothing.
 */
bool stream_put_rest(struct drain *drain, struct trace_file *file, uint32_t index,
		     struct note_place *place);

/* Writes all that is held of a worker. */
void stream_put_held(struct lane *lane, uint32_t index);

/*
 * Writes events that are in no ring, before all others of the worker: with them the trace has those
 * of its ring up to `stand`.  Of `events`: where they lie.
 */
void stream_put(struct drain *drain, struct worker *worker, uint32_t index,
		const struct encode_source *events, const struct worker_taken *stand);
