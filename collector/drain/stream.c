/* SPDX-License-Identifier: MIT */
/*
 * stream.c - takes a worker's events from its chunks, collapses pending ones, and packs blocks.
 *
 * One worker with chunks of 8, with a ring file; its `head` is 11:
 *
 *	A FULL 0..7	B FILLING 8..10		reached 0, no block
 *	next_events() pins A, add_pending() collapses its 8 events to 3
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

/* Counts events that no block gets, and moves the checkpoint behind them. */
static void count_past(const struct drain *drain, struct worker *worker, uint32_t n,
		       const struct checkpoint *reached)
{
	struct checkpoint *written = checkpoint_written(drain, worker);

	worker->n_past += n;
	written->number = reached->number;
	written->n_tasks = reached->n_tasks;
}

/* Passes over the block, and all that comes after it: no room in the file, or no memory for the
 * flight recorder, which keeps what it has. */
static void leave_out(struct drain *drain, struct worker *worker, const struct wire_block *block,
		      const struct checkpoint *reached)
{
	shut(drain, drain->flight.max_bytes ? ENOMEM : (uint32_t)-drain->file.full);
	count_past(drain, worker, block->n_events, reached);
}

/* Puts the block, between those checkpoints, where the trace's blocks go.  False if it has no
 * room; the caller has the threads' lock. */
static bool put_to_trace(struct drain *drain, struct wire_block *block, const void *body,
			 const struct checkpoint *written, const struct checkpoint *next)
{
	const struct flight_block kept = { .block = *block,
					   .body = body,
					   .n_made = next->number - written->number +
						     next->n_dropped - written->n_dropped,
					   .before_units = written->last_units,
					   .running = written->running };

	if (drain->flight.max_bytes)
		return flight_put(&drain->flight, &kept) == 0;
	if (trace_file_put(&drain->file, block, body) < 0 && drain->file.full)
		return false;
	drain->n_put++;
	return true;
}

/*
 * Packs events into the thread's block, behind those that it has, which are of the same stream:
 * what they made since its begin is in thread->block.
 */
static void pack(struct drain_thread *thread, const struct stream *stream,
		 const struct wire_event *event, uint32_t n)
{
	const struct drain *drain = thread->drain;
	struct encode_source *block = &thread->block;

	if (thread->n_block == 0) {
		const struct checkpoint *written = checkpoint_written(drain, stream->worker);

		*block = (struct encode_source){ .shift = drain->shift,
						 .step = drain->granularity,
						 .last_units = written->last_units,
						 .n_ids = written->n_ids };
		encode_begin(thread->encoder, block, stream->index);
	}
	block->slot = event;
	block->n = n;
	if (n)
		encode_add(thread->encoder, block);
	thread->n_block += n;
}

/*
 * Ends the thread's block, and writes it.  `next` is the checkpoint after the block, made before
 * that is written, in the half that is not valid: whenever the process is killed, the number of
 * blocks in the file says which half is (recover.c).
 */
static void put_packed(struct drain_thread *thread, const struct stream *stream,
		       const struct checkpoint *reached)
{
	struct drain *drain = thread->drain;
	struct worker *worker = stream->worker;
	struct encode_source *source = &thread->block;
	struct checkpoint *written = checkpoint_written(drain, worker);
	struct checkpoint *next = &worker->written[(written->n_blocks + 1) & 1], before = *next;
	struct wire_block block = { .worker = stream->index, .seqno = written->n_blocks };
	const void *body;
	int error = encode_end(thread->encoder, source, &block, &body);

	thread->n_block = 0;
	futex_lock(&drain->threads.lock);
	if (error && !drain->flight.max_bytes)
		trace_file_no_memory(&drain->file, "cannot hold events");
	if (!error && has_place(drain, &block)) {
		*next = *reached;
		next->last_units = source->last_units;
		next->n_ids = source->n_ids;
		next->n_blocks = written->n_blocks + 1;
		test_point("block:next");
		if (put_to_trace(drain, &block, body, written, next)) {
			thread->n_tasks += source->n_tasks;
			test_point("block:put");
			futex_unlock(&drain->threads.lock);
			return;
		}
		*next = before;
	}
	if (!has_failed(drain))
		leave_out(drain, worker, &block, reached);
	futex_unlock(&drain->threads.lock);
}

void stream_put(struct drain *drain, const struct stream *stream, const struct wire_event *event,
		uint32_t n, const struct checkpoint *reached)
{
	struct drain_thread *thread = drain->threads.at[0]; /* the only one, as yet */

	pack(thread, stream, event, n);
	put_packed(thread, stream, reached);
}

/* Writes what is in the thread's block, or else all pending events of the stream. */
static void put_block(struct drain_thread *thread, struct stream *stream)
{
	struct pending_buffer *pending = &stream->pending;

	if (thread->n_block == 0) {
		pending_collapse(pending, thread->collapse, &thread->drain->limits, stream->index);
		if (pending->n == 0)
			return;
		pack(thread, stream, pending->event, pending->n);
	}
	put_packed(thread, stream, &stream->reached);
	pending_clear(pending);
	release(thread->drain, stream->worker, stream->reached.number);
}

void stream_put_pending(struct drain_thread *thread, struct stream *stream)
{
	if (stream->pending.n == 0 || has_failed(thread->drain))
		return;
	stream->pending.spare = &thread->spare;
	put_block(thread, stream);
}

/* ---- events ---- */

/*
 * The next events in one piece: either all that a thinned chunk has, however many, or some plain
 * ones.  False if there are none.
 */
static bool next_events(const struct drain *drain, struct stream *stream, bool all,
			struct passed *out)
{
	struct checkpoint *reached = &stream->reached;
	struct chunk_events events;
	uint32_t n, n_skip;

	if (!chunk_find(stream->worker, &drain->chunks, reached->number, &events) ||
	    !(all || events.full))
		return false;
	if (stream_is_early(drain) &&
	    reached->number == atomic_load_explicit(&events.chunk->first, memory_order_relaxed))
		events.chunk->before = *reached;
	n = events.n_whole ? events.n_whole : events.n < SLICE_EVENTS ? events.n : SLICE_EVENTS;
	n_skip = stream->n_skip < n ? stream->n_skip : n;
	stream->n_skip -= n_skip;
	*out = (struct passed){ .slice = { .slot = events.slot + n_skip,
					   .n = n - n_skip,
					   .worker = stream->index,
					   .n_ids = reached->n_ids },
				.number = events.number + (events.n_whole ? 0 : n),
				.any_lost = atomic_load(&stream->worker->lost) != 0,
				.shift = drain->shift };
	return true;
}

static uint64_t sum_tasks(const struct slice *slice)
{
	uint64_t n_tasks = 0;

	for (uint32_t i = 0; i < slice->n; i++)
		n_tasks += tasks_made(event_kind(&slice->slot[i]), slice->slot[i].b);
	return n_tasks;
}

/* Adds them to the pending ones.  If there is no room for them, those are collapsed, or else
 * written.  Returns how many tasks they made. */
static uint64_t add_pending(struct drain_thread *thread, struct stream *stream,
			    struct passed *events)
{
	const struct collapse_limits *limits = &thread->drain->limits;
	struct pending_buffer *pending = &stream->pending;

	if (thread->n_block) /* packed as long as there was no memory */
		put_block(thread, stream);
	if (!pending_make_room(pending, thread->collapse, limits, stream->index, events->slice.n))
		put_block(thread, stream);
	pending_add(pending, thread->collapse, limits, &events->slice);
	return sum_tasks(&events->slice);
}

/* Packs them as they are: that is asked for, or there is no memory to collapse them in. */
static uint64_t add_packed(struct drain_thread *thread, struct stream *stream,
			   struct passed *events)
{
	uint64_t before;

	if (stream->pending.n)
		put_block(thread, stream);
	before = thread->n_block ? thread->block.n_tasks : 0;
	pack(thread, stream, events->slice.slot, events->slice.n);
	events->slice.n_ids = stream->pending.ids = thread->block.n_ids;
	return thread->block.n_tasks - before;
}

/* They are for no file any more. */
static uint64_t pass_over(struct slice *slice)
{
	for (uint32_t i = 0; i < slice->n; i++)
		slice->n_ids =
			ids_after(event_kind(&slice->slot[i]), slice->slot[i].b, slice->n_ids);
	return sum_tasks(slice);
}

/* Takes the next events, for the trace or, NULL, for nothing.  False if there are none. */
static bool take_slice(struct drain *drain, struct drain_thread *thread, struct stream *stream,
		       bool all)
{
	uint64_t before = stream->reached.number, n_tasks;
	struct passed events;

	if (!next_events(drain, stream, all, &events))
		return false;
	if (!thread)
		n_tasks = pass_over(&events.slice);
	else if (thread->collapse && pending_open(&stream->pending))
		n_tasks = add_pending(thread, stream, &events);
	else
		n_tasks = add_packed(thread, stream, &events);
	checkpoint_pass(&stream->reached, &events, n_tasks);
	if (!thread && drain->full)
		count_past(drain, stream->worker, events.slice.n, &stream->reached);
	if (!thread || stream_is_early(drain)) {
		checkpoint_publish(stream->worker, &stream->reached);
		release(drain, stream->worker, stream->reached.number);
	}
	return stream->reached.number != before;
}

/* Of worker `index`, for whose stream there is no memory. */
static void pass_over_all(struct drain *drain, uint32_t index)
{
	struct stream stream = { .worker = drain->worker_at(drain->arg, index), .index = index };

	if (!stream.worker)
		return;
	stream.reached = *checkpoint_written(drain, stream.worker);
	while (take_slice(drain, NULL, &stream, true))
		;
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
	for (uint32_t i = 0; i < n; i++) {
		drain->stream[i].index = i;
		if (!drain->stream[i].worker)
			drain->stream[i].worker = drain->worker_at(drain->arg, i);
	}
	return n;
}

/* Whether what is kept of the stream is to be written now; `last`: no more is taken. */
static bool has_enough(const struct drain_thread *thread, struct stream *stream, bool last)
{
	const struct drain *drain = thread->drain;
	uint32_t n_kept;

	if (thread->n_block >= BLOCK_EVENTS || (thread->n_block && last))
		return true;
	if (!drain->session->pending_slots && last) /* one buffer for all */
		return true;
	if (stream_is_early(drain) || (!thread->n_block && !stream->pending.n))
		return false;
	/* chunks that are kept until then: the worker needs some back */
	n_kept = chunk_count_full(stream->worker, &drain->chunks, 0) -
		 chunk_count_full(stream->worker, &drain->chunks, stream->reached.number);
	return n_kept >= drain->chunks.n / 2 || atomic_load(&stream->worker->waiting);
}

bool stream_take(struct drain_thread *thread, struct stream *stream, bool all)
{
	struct drain *drain = thread->drain;
	uint64_t until = atomic_load_explicit(&stream->worker->head, memory_order_acquire);
	uint64_t from;
	bool more;

	if (!stream->begun)
		stream_begin(stream, checkpoint_written(drain, stream->worker));
	stream->pending.spare = &thread->spare;
	from = stream->reached.number;
	do {
		bool over = drain->full || has_failed(drain);

		more = chunk_before(stream->reached.number, until) &&
		       take_slice(drain, over ? NULL : thread, stream, all);
		if (has_enough(thread, stream, !more))
			put_block(thread, stream);
	} while (more);
	if (!drain->session->pending_slots)
		pending_give_back(&stream->pending);
	if (stream_is_early(drain) || stream->pending.n == 0 || has_failed(drain))
		/* of a chunk that was taken while it was filled, too */
		release(drain, stream->worker, stream->reached.number);
	return stream->reached.number != from;
}
