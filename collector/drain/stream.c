/* SPDX-License-Identifier: MIT */
/*
 * stream.c - takes a worker's events from its chunks, collapses pending ones, and packs blocks.
 *
 * One worker with chunks of 8, with a ring file; its `head` is 11:
 *
 *	A FULL 0..7	B FILLING 8..10		reached 0, no block
 *	next_events() pins A, pending_add() collapses its 8 events to 3
 *	A FULL		B FILLING		reached 8, 3 pending; a killed process's ring file
 *						still has 0..10
 *	put_packed() makes checkpoint { number 8, n_blocks 1 } in written[1], and then block 0 of
 *	the 3 events; killed between, the file has no block 0, so that written[0] counts
 *	release(8)
 *	A FREE		B FILLING		reached 8, written 8
 *
 * Without a ring file A is TAKEN as soon as its events are pending: the worker may use it again,
 * and a successor of a killed collector takes it back if the worker has not.
 */
#include "collector/drain/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/drain.h"
#include "collector/session/futex.h"
#include "collector/session/gate.h"
#include "collector/session/point.h"
#include "collector/trace/grow.h"

#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define SLICE_EVENTS 2048u

/* ---- what was taken of a worker ---- */

uint32_t stream_workers(const struct drain *drain)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);

	return n < WIRE_WORKERS ? n : WIRE_WORKERS;
}

bool stream_is_early(const struct drain *drain)
{
	return drain->session->process.ring == 0;
}

const struct checkpoint *stream_reached(const struct drain *drain, struct worker *worker,
					uint32_t index)
{
	if (index < drain->n_streams && drain->stream[index].begun)
		return &drain->stream[index].reached;
	return checkpoint_written(drain, worker);
}

uint64_t stream_untaken(const struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t from = stream_reached(drain, worker, index)->number;
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);

	return chunk_before(from, head) ? head - from : 0;
}

bool stream_is_due(const struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t from = stream_reached(drain, worker, index)->number;

	return chunk_count_full(worker, &drain->chunks, from) >= 1 + drain->chunks.n / 8 ||
	       atomic_load_explicit(&worker->waiting, memory_order_relaxed);
}

struct note_slots stream_left(const struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t from = stream_reached(drain, worker, index)->number;
	struct note_slots slots = { .shift = drain->shift };
	struct chunk_events events;

	if (chunk_find(worker, &drain->chunks, from, &events)) {
		slots.slot = events.slot;
		slots.n = events.n;
	}
	return slots;
}

void stream_begin(struct stream *stream, const struct checkpoint *at)
{
	stream->reached = *at;
	stream->begun = true;
	stream->pending.ids = stream->pending.ids_before = at->n_ids;
}

/* Releases what ends at that number or before; the worker may be waiting for it. */
static void release(const struct drain *drain, struct worker *worker, uint64_t number)
{
	if (chunk_before(atomic_load_explicit(&worker->tail, memory_order_relaxed), number))
		atomic_store_explicit(&worker->tail, number, memory_order_release);
	test_point("take:moved");
	if (!chunk_release(worker, &drain->chunks, number,
			   stream_is_early(drain) ? CHUNK_TAKEN : CHUNK_FREE))
		return;
	atomic_fetch_add(&worker->releases, 1);
	if (atomic_load(&worker->waiting))
		futex_wake(&worker->releases);
}

/* ---- blocks ---- */

/* Whether a file of bounded size has room for a block, and for its own end. */
static bool block_fits(const struct drain *drain, const struct wire_block *block)
{
	uint64_t max_bytes = drain->session->options.max_bytes;
	uint64_t index_bytes = (drain->file.n_blocks + 16) * sizeof(*block);
	uint64_t end_bytes =
		DRAIN_RESERVE_BYTES + index_bytes + stream_workers(drain) * TRACE_FILE_WORKER_BYTES;

	return !max_bytes ||
	       drain->file.bytes + sizeof(*block) + block->body_bytes + end_bytes <= max_bytes;
}

/* Whether the trace failed, whichever thread found that out. */
static bool has_failed(const struct drain *drain)
{
	return __atomic_load_n(&drain->file.error, __ATOMIC_RELAXED) != 0;
}

/* Whether the trace has room for the block; the caller has the threads' lock. */
static bool has_place(struct drain *drain, const struct wire_block *block)
{
	if (has_failed(drain))
		return true;
	if (drain->flight.max_bytes)
		return !drain->full;
	return !drain->full && block_fits(drain, block) &&
	       !trace_file_room(&drain->file, sizeof(*block) + block->body_bytes);
}

/* Nothing more is recorded: the file may have no more blocks, or there is no memory. */
static void shut(struct drain *drain, uint32_t unwritten)
{
	if (!drain->full) {
		atomic_store(&drain->session->unwritten, unwritten);
		gate_shut(drain->session, WIRE_LOSS_SIZE, drain->worker_at, drain->arg);
	}
	drain->full = true;
}

/* Passes over the block, and all that comes after it: no room in the file, or no memory for the
 * flight recorder, which keeps what it has. */
static void leave_out(struct drain *drain, struct worker *worker, const struct wire_block *block,
		      const struct checkpoint *reached)
{
	struct checkpoint *written = checkpoint_written(drain, worker);

	shut(drain, drain->flight.max_bytes ? ENOMEM : (uint32_t)-drain->file.full);
	worker->n_past += block->n_events;
	written->number = reached->number;
	written->n_tasks = reached->n_tasks;
}

/* Keeps a block, for which the worker made so many events, dropped ones as well; `written` is the
 * worker's checkpoint before it.  False if out of memory. */
static bool keep_block(struct drain_thread *thread, const struct wire_block *block,
		       const void *body, const struct checkpoint *written, uint64_t n_made)
{
	const struct flight_block kept = { .block = *block,
					   .body = body,
					   .n_made = n_made,
					   .before_units = written->last_units,
					   .running = written->running };

	return flight_put(&thread->drain->flight, &kept) == 0;
}

/* Puts the block where the trace's blocks go.  False if it has no room; the caller has the
 * threads' lock. */
static bool put_block(struct drain_thread *thread, struct wire_block *block, const void *body,
		      const struct checkpoint *written, const struct checkpoint *next)
{
	struct drain *drain = thread->drain;

	if (drain->flight.max_bytes)
		return keep_block(thread, block, body, written,
				  next->number - written->number + next->n_dropped -
					  written->n_dropped);
	if (trace_file_put(&drain->file, block, body) < 0 && drain->file.full)
		return false;
	drain->n_put++;
	return true;
}

/*
 * `next` is the checkpoint after the block, made before the block is written, in the half that is
 * not valid: whenever the process is killed, the number of blocks in the file says which half is
 * (recover.c).
 */
static void put_packed(struct drain_thread *thread, struct worker *worker, uint32_t index,
		       struct encode_source *source, const struct checkpoint *reached)
{
	struct drain *drain = thread->drain;
	struct checkpoint *written = checkpoint_written(drain, worker);
	struct checkpoint *next = &worker->written[(written->n_blocks + 1) & 1], before = *next;
	struct wire_block block = { .worker = index, .seqno = written->n_blocks };
	const void *body;
	int error = encode_end(thread->encoder, source, &block, &body);

	drain_threads_lock(&drain->threads);
	if (error && !drain->flight.max_bytes)
		trace_file_no_memory(&drain->file, "cannot hold events");
	if (!error && has_place(drain, &block)) {
		*next = *reached;
		next->last_units = source->last_units;
		next->n_ids = source->n_ids;
		next->n_blocks = written->n_blocks + 1;
		test_point("block:next");
		if (put_block(thread, &block, body, written, next)) {
			thread->n_tasks += source->n_tasks;
			test_point("block:put");
			drain_threads_unlock(&drain->threads);
			return;
		}
		*next = before;
	}
	if (!has_failed(drain))
		leave_out(drain, worker, &block, reached);
	drain_threads_unlock(&drain->threads);
}

static struct encode_source source_of(struct drain *drain, struct worker *worker)
{
	const struct checkpoint *written = checkpoint_written(drain, worker);

	return (struct encode_source){ .shift = drain->shift,
				       .step = drain->granularity,
				       .last_units = written->last_units,
				       .n_ids = written->n_ids };
}

void stream_put(struct drain *drain, uint32_t index, const struct wire_event *event, uint32_t n,
		const struct checkpoint *reached)
{
	struct drain_thread *thread = drain->threads.at[0]; /* the only one, as yet */
	struct worker *worker = drain->stream[index].worker;
	struct encode_source source = source_of(drain, worker);

	source.slot = event;
	source.n = n;
	encode_begin(thread->encoder, &source, index);
	encode_add(thread->encoder, &source);
	put_packed(thread, worker, index, &source, reached);
}

/* Writes all pending events of a worker. */
static void put_pending(struct drain_thread *thread, uint32_t index, struct stream *stream)
{
	struct drain *drain = thread->drain;
	struct encode_source source = source_of(drain, stream->worker);
	struct pending_buffer *pending = &stream->pending;

	pending_collapse(pending, thread->collapse, &drain->limits, index);
	if (pending->n == 0)
		return;
	source.slot = pending->event;
	source.n = pending->n;
	encode_begin(thread->encoder, &source, index);
	encode_add(thread->encoder, &source);
	put_packed(thread, stream->worker, index, &source, &stream->reached);
	release(drain, stream->worker, stream->reached.number);
	pending_clear(pending);
}

void stream_put_pending(struct drain_thread *thread, uint32_t index)
{
	struct stream *stream = &thread->drain->stream[index];

	if (stream->pending.n == 0 || has_failed(thread->drain))
		return;
	stream->pending.spare = &thread->spare;
	put_pending(thread, index, stream);
}

/* ---- events ---- */

/*
 * The next events in one piece: either all that a thinned chunk has, however many, or up to `most`
 * plain ones.  False if there are none.
 */
static bool next_events(const struct drain *drain, struct stream *stream, uint32_t index,
			uint32_t most, bool all, struct passed *out)
{
	struct checkpoint *reached = &stream->reached;
	struct chunk_events events;
	uint32_t n;

	if (!chunk_find(stream->worker, &drain->chunks, reached->number, &events) ||
	    !(all || events.full))
		return false;
	if (stream_is_early(drain) &&
	    reached->number == atomic_load_explicit(&events.chunk->first, memory_order_relaxed))
		checkpoint_begin(events.chunk, reached);
	n = events.n_whole ? events.n_whole : events.n < most ? events.n : most;
	*out = (struct passed){ .slot = events.slot,
				.n = n,
				.worker = index,
				.number = events.number + (events.n_whole ? 0 : n),
				.n_ids = reached->n_ids,
				.any_lost = atomic_load(&stream->worker->lost) != 0,
				.full = events.full,
				.shift = drain->shift };
	if (stream->n_skip) {
		uint32_t n_skip = stream->n_skip < n ? stream->n_skip : n;

		out->slot += n_skip;
		out->n -= n_skip;
		stream->n_skip -= n_skip;
	}
	return true;
}

/* These have been copied, or are for no block. */
static void events_pass(const struct drain *drain, struct stream *stream,
			const struct passed *events)
{
	checkpoint_pass(&stream->reached, events);
	if (!stream_is_early(drain))
		return;
	checkpoint_publish(stream->worker, &stream->reached);
	release(drain, stream->worker, stream->reached.number);
}

/* Packs what a worker has into a block, and what it adds meanwhile.  Packing is faster than
 * recording; the slow part, compression, comes after. */
static void take_block(struct drain_thread *thread, struct stream *stream, uint32_t index, bool all)
{
	struct drain *drain = thread->drain;
	struct encode_source source = source_of(drain, stream->worker);
	uint64_t of_chunks = (uint64_t)drain->chunks.n * drain->chunks.slots / 4;
	uint32_t n = 0, most = BLOCK_EVENTS;
	struct passed events;

	if (!stream_is_early(drain) && of_chunks < most) /* they are kept until then */
		most = (uint32_t)of_chunks;
	encode_begin(thread->encoder, &source, index);
	while (n < most &&
	       next_events(drain, stream, index, most - n < SLICE_EVENTS ? most - n : SLICE_EVENTS,
			   all, &events)) {
		uint64_t n_tasks = source.n_tasks;

		source.slot = events.slot;
		source.n = events.n;
		if (events.n)
			encode_add(thread->encoder, &source);
		events.n_ids = source.n_ids;
		events.n_tasks = source.n_tasks - n_tasks;
		n += events.n;
		events_pass(drain, stream, &events);
		if (!events.full && events.n < SLICE_EVENTS / 4)
			break;
	}
	if (n == 0)
		return;
	put_packed(thread, stream->worker, index, &source, &stream->reached);
	release(drain, stream->worker, stream->reached.number);
}

/* Makes room for a slice: by collapsing what is pending, or else by writing it. */
static void pending_room(struct drain_thread *thread, uint32_t index, struct stream *stream,
			 uint32_t n)
{
	const struct pending_buffer *pending = &stream->pending;

	if (pending_has_room(pending, n))
		return;
	pending_collapse(&stream->pending, thread->collapse, &thread->drain->limits, index);
	if (!pending_has_room(pending, thread->spare.room / 2) || !pending_has_room(pending, n))
		put_pending(thread, index, stream);
}

/* Whether so many chunks are kept for pending events that the worker needs some back. */
static bool keeps_much(const struct drain *drain, struct stream *stream)
{
	uint32_t n = chunk_count_full(stream->worker, &drain->chunks, 0) -
		     chunk_count_full(stream->worker, &drain->chunks, stream->reached.number);

	return !stream_is_early(drain) && stream->pending.n &&
	       (n >= drain->chunks.n / 2 || atomic_load(&stream->worker->waiting));
}

/* Packs them as they are: there is no memory to collapse them in.  False if there are none. */
static bool take_as_is(struct drain_thread *thread, struct stream *stream, uint32_t index, bool all)
{
	uint64_t before = stream->reached.number;

	put_pending(thread, index, stream);
	take_block(thread, stream, index, all);
	stream->pending.ids = stream->pending.ids_before = stream->reached.n_ids;
	return stream->reached.number != before;
}

/* Adds some events to the pending ones.  False if there are none. */
static bool add_pending(struct drain_thread *thread, struct stream *stream, uint32_t index,
			bool all)
{
	struct drain *drain = thread->drain;
	struct passed events;

	if (!pending_open(&stream->pending))
		return take_as_is(thread, stream, index, all);
	if (!next_events(drain, stream, index, SLICE_EVENTS, all, &events))
		return false;
	struct slice slice = { .slot = events.slot, .n = events.n, .worker = index };

	pending_room(thread, index, stream, events.n);
	checkpoint_count(&events);
	pending_add(&stream->pending, thread->collapse, &drain->limits, &slice);
	events.n_ids = slice.n_ids;
	events_pass(drain, stream, &events);
	if (keeps_much(drain, stream))
		put_pending(thread, index, stream);
	return true;
}

static void take_collapsed(struct drain_thread *thread, struct stream *stream, uint32_t index,
			   bool all, uint64_t until)
{
	struct drain *drain = thread->drain;

	while (chunk_before(stream->reached.number, until) && !has_failed(drain) &&
	       add_pending(thread, stream, index, all))
		;
	if (!drain->session->pending_slots) { /* one buffer for all */
		put_pending(thread, index, stream);
		pending_give_back(&stream->pending);
	}
}

/* Releases events that are for no file any more. */
static void pass_over(struct drain *drain, struct stream *stream, uint32_t index, bool all)
{
	struct checkpoint *written = checkpoint_written(drain, stream->worker);
	struct passed events;

	if (!next_events(drain, stream, index, UINT32_MAX, all, &events))
		return;
	for (uint32_t i = 0; i < events.n; i++)
		events.n_ids =
			ids_after(event_kind(&events.slot[i]), events.slot[i].b, events.n_ids);
	checkpoint_count(&events);
	checkpoint_pass(&stream->reached, &events);
	if (drain->full) {
		stream->worker->n_past += events.n;
		written->number = stream->reached.number;
		written->n_tasks = stream->reached.n_tasks;
	}
	checkpoint_publish(stream->worker, &stream->reached);
	release(drain, stream->worker, stream->reached.number);
}

/* Of worker `index`, for whose stream there is no memory. */
static void pass_over_all(struct drain *drain, uint32_t index)
{
	struct stream stream = { .worker = drain->worker_at(drain->arg, index) };
	uint64_t before;

	if (!stream.worker)
		return;
	stream.reached = *checkpoint_written(drain, stream.worker);
	do {
		before = stream.reached.number;
		pass_over(drain, &stream, index, true);
	} while (stream.reached.number != before);
}

uint32_t stream_find(struct drain *drain, uint32_t n_workers)
{
	uint32_t n = drain->n_streams;

	if (n_workers > n && grow(&drain->stream, n, n_workers - n, sizeof(*drain->stream)))
		n = drain->n_streams = n_workers;
	else if (n_workers > n && n == 0) /* there is nothing that could be kept */
		trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
	else if (n_workers > n)
		shut(drain, ENOMEM);
	for (uint32_t i = n; i < n_workers; i++)
		pass_over_all(drain, i);
	if (n > n_workers)
		n = n_workers;
	for (uint32_t i = 0; i < n; i++)
		if (!drain->stream[i].worker)
			drain->stream[i].worker = drain->worker_at(drain->arg, i);
	return n;
}

bool stream_take(struct drain_thread *thread, uint32_t index, bool all)
{
	struct drain *drain = thread->drain;
	struct stream *stream = &drain->stream[index];
	uint64_t until = atomic_load_explicit(&stream->worker->head, memory_order_acquire);
	uint64_t from, before;

	if (!stream->begun)
		stream_begin(stream, checkpoint_written(drain, stream->worker));
	stream->pending.spare = &thread->spare;
	from = stream->reached.number;
	do {
		before = stream->reached.number;
		if (drain->full || has_failed(drain))
			pass_over(drain, stream, index, all);
		else if (thread->collapse)
			take_collapsed(thread, stream, index, all, until);
		else
			take_block(thread, stream, index, all);
	} while (stream->reached.number != before && chunk_before(stream->reached.number, until));
	if (stream_is_early(drain) || stream->pending.n == 0 || has_failed(drain))
		/* of a chunk that was taken while it was filled, too */
		release(drain, stream->worker, stream->reached.number);
	else if (keeps_much(drain, stream))
		put_pending(thread, index, stream);
	return stream->reached.number != from;
}
