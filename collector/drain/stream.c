/* SPDX-License-Identifier: MIT */
/* stream.c - takes a worker's events from its ring, collapses what it holds, and packs blocks. */
#include "collector/drain/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/drain.h"
#include "collector/drain/fetch.h"
#include "collector/drain/release.h"
#include "collector/trace/lines.h"
#include "collector/session/gate.h"
#include "collector/session/handed.h"
#include "collector/session/point.h"

#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u

uint64_t stream_slots(const struct drain *drain, const struct worker *worker)
{
	return fetch_slots(worker, drain->n_slots);
}

/*
 * How many events there are in a ring from `from` on.  Never more than it holds, and never less
 * than none, whatever is written in it: the program may have a pointer astray.
 */
uint64_t stream_untaken(const struct drain *drain, const struct worker *worker, uint64_t from)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t given = worker_given(worker);

	return given - tail <= drain->n_slots && given - from <= drain->n_slots ? given - from : 0;
}

/* Whether all that the worker had made when its head was `until` has gone to its ring. */
static bool is_handed(const struct worker *worker, uint64_t until)
{
	uint64_t handed = worker_handed(worker);
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);

	return !worker->thins || !release_before(handed_base(handed, head), until);
}

bool stream_is_fresh(const struct worker *worker)
{
	return !is_handed(worker, atomic_load_explicit(&worker->head, memory_order_acquire));
}

struct note_slots stream_left(const struct drain *drain, struct worker *worker, uint32_t index,
			      struct wire_event *room)
{
	uint32_t n_tries = 8; /* the word is the program's */
	uint64_t handed, head, n_fresh;
	struct note_slots slots;

	do { /* once more if they went from one place to the other meanwhile */
		handed = worker_handed(worker);
		head = atomic_load_explicit(&worker->head, memory_order_acquire);
		slots = (struct note_slots){ .slot = worker_slots(worker),
					     .first = stream_to(drain, worker, index),
					     .mask = stream_slots(drain, worker) - 1,
					     .shift = drain->shift };
		slots.n = stream_untaken(drain, worker, slots.first);
		n_fresh = head - handed_base(handed, head);
		if (worker->thins && slots.n == 0 && n_fresh <= FRESH_SLOTS) {
			slots.n = n_fresh < NOTE_SLOTS ? n_fresh : NOTE_SLOTS;
			fetch_copy(room, worker_fresh(worker, drain->n_slots), head - n_fresh,
				   (uint32_t)slots.n);
			slots.slot = room;
			slots.first = 0;
			slots.mask = UINT64_MAX;
		}
	} while (worker->thins && worker_handed(worker) != handed && --n_tries);
	return slots;
}

/* Events in a block at most; of a ring that is kept until the block is written, a part of it. */
static uint32_t block_events(const struct drain *drain, const struct worker *worker)
{
	uint64_t n_slots = stream_slots(drain, worker);

	if (release_is_early(drain) || n_slots / 4 >= BLOCK_EVENTS)
		return BLOCK_EVENTS;
	return (uint32_t)n_slots / 4;
}

/*
 * Packs what a worker has, and what it adds meanwhile, up to a block: how many events.  Packing
 * is faster than recording; the slow part, compression, comes after.
 */
static uint32_t pack(struct lane *lane, struct worker *worker, struct encode_source *source,
		     uint32_t index, uint64_t *running, int *error)
{
	struct drain *drain = lane->drain;
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint32_t n_packed = 0, most = block_events(drain, worker);
	uint64_t n_tasks;

	while (n_packed < most && !*error) {
		uint64_t n = stream_untaken(drain, worker, tail);

		if (n > STEP_EVENTS)
			n = STEP_EVENTS;
		if (n == 0 || (n_packed && n < STEP_EVENTS / 4))
			break;
		if (n > most - n_packed)
			n = most - n_packed;
		source->first = tail;
		source->mask = stream_slots(drain, worker) - 1;
		source->n = (uint32_t)n;
		n_tasks = source->n_tasks;
		*error = encode_add(lane->encoder, source);
		if (drain->flight.max_bytes)
			*running = release_running(source, index, *running);
		tail += n;
		n_packed += (uint32_t)n;
		if (release_is_early(drain))
			release_early(drain, worker, index, source,
				      &(struct worker_made){ n, source->n_tasks - n_tasks });
	}
	return n_packed;
}

uint32_t stream_workers(const struct drain *drain)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);

	return n < WIRE_WORKERS ? n : WIRE_WORKERS;
}

/* Whether a file of bounded size has room for a block, and for its own end. */
static bool fits(const struct drain *drain, const struct wire_block *block)
{
	uint64_t max_bytes = drain->session->options.max_bytes;
	uint64_t index_bytes = (drain->file.n_blocks + 16) * sizeof(*block);
	uint64_t end_bytes =
		DRAIN_RESERVE_BYTES + index_bytes + stream_workers(drain) * TRACE_FILE_WORKER_BYTES;

	return !max_bytes ||
	       drain->file.bytes + sizeof(*block) + block->body_bytes + end_bytes <= max_bytes;
}

/* Whether the trace failed, whichever lane found that out. */
static bool has_failed(const struct drain *drain)
{
	return __atomic_load_n(&drain->file.error, __ATOMIC_RELAXED) != 0;
}

/* Whether the trace has room for the block; the lanes' lock is held. */
static bool has_place(struct drain *drain, const struct wire_block *block)
{
	if (drain->flight.max_bytes || has_failed(drain))
		return true;
	return !drain->full && fits(drain, block) &&
	       !trace_file_room(&drain->file, sizeof(*block) + block->body_bytes);
}

static void fail(struct lane *lane, int code, const char *doing)
{
	lanes_lock(&lane->drain->lanes);
	trace_file_fail(&lane->drain->file, code, doing);
	lanes_unlock(&lane->drain->lanes);
}

/* How far a worker's events are in the trace with a block. */
struct reach {
	uint64_t slots, running; /* as in worker_taken */
	struct worker_made made;
};

/* Passes over the block, and all that comes after it. */
static void leave_out(struct drain *drain, struct worker *worker, const struct wire_block *block,
		      const struct reach *reach)
{
	if (!drain->full) {
		atomic_store(&drain->session->unwritten, (uint32_t)-drain->file.full);
		gate_shut(drain->session, WIRE_LOSS_SIZE, drain->worker_at, drain->arg);
	}
	drain->full = true;
	worker->n_past += block->n_events;
	release_taken(drain, worker)->slots = reach->slots;
	release_taken(drain, worker)->made = reach->made;
	release_slots(worker, reach->slots);
}

/* Keeps a block, for which the worker made so many events, collapsed and dropped ones as well;
 * `taken` is how the worker's stood before. */
static void keep_block(struct lane *lane, const struct wire_block *block, const void *body,
		       const struct worker_taken *taken, uint64_t n_made)
{
	const struct flight_block kept = { .block = *block,
					   .body = body,
					   .n_made = n_made,
					   .before_units = taken->last_units,
					   .running = taken->running };

	if (flight_put(&lane->drain->flight, &kept) < 0)
		trace_file_fail(&lane->drain->file, ENOMEM, "cannot keep events");
}

/*
 * `taken` is made right for after the block before that is written, in its other half: whenever the
 * process is killed, the number of blocks in the file says which half holds (recover.c).
 */
static void put_packed(struct lane *lane, struct worker *worker, uint32_t index,
		       struct encode_source *source, const struct reach *reach, int error)
{
	struct drain *drain = lane->drain;
	const struct worker_taken stand = release_stand(drain, worker);
	struct worker_taken *taken = release_taken(drain, worker);
	struct worker_taken *next = &worker->taken[(taken->n_blocks + 1) & 1], before = *next;
	struct wire_block block = { .worker = index, .seqno = taken->n_blocks };
	uint64_t n_dropped = release_dropped(drain, worker, source);
	const void *body;

	if (!error)
		error = encode_end(lane->encoder, source, &block, &body);
	if (error) {
		fail(lane, -error, "cannot pack events");
		return;
	}
	lanes_lock(&drain->lanes);
	if (!has_place(drain, &block)) {
		leave_out(drain, worker, &block, reach);
		lanes_unlock(&drain->lanes);
		return;
	}
	*next = (struct worker_taken){ .slots = reach->slots,
				       .last_units = source->last_units,
				       .n_ids = source->n_ids,
				       .running = reach->running,
				       .n_dropped = stand.n_dropped,
				       .made = reach->made,
				       .n_blocks = taken->n_blocks + 1 };
	test_point("block:next");
	if (!drain->flight.max_bytes) {
		if (trace_file_put(&drain->file, &block, body) < 0 && drain->file.full) {
			*next = before;
			leave_out(drain, worker, &block, reach);
			lanes_unlock(&drain->lanes);
			return;
		}
		drain->n_put++;
	} else {
		keep_block(lane, &block, body, taken,
			   reach->made.events - taken->made.events + n_dropped);
	}
	test_point("block:put");
	lanes_unlock(&drain->lanes);
	lane->n_tasks += source->n_tasks;
	release_slots(worker, reach->slots);
}

static struct encode_source source_of(struct drain *drain, struct worker *worker)
{
	const struct worker_taken *taken = release_taken(drain, worker);

	return (struct encode_source){ .shift = drain->shift,
				       .step = drain->step,
				       .last_units = taken->last_units,
				       .n_ids = taken->n_ids };
}

static void put_block(struct lane *lane, struct worker *worker, uint32_t index)
{
	struct drain *drain = lane->drain;
	struct encode_source source = source_of(drain, worker);
	struct reach reach = { .made = release_taken(drain, worker)->made,
			       .running = release_taken(drain, worker)->running };
	int error = 0;
	uint32_t n;

	source.slot = worker_slots(worker);
	encode_begin(lane->encoder, &source, index);
	n = pack(lane, worker, &source, index, &reach.running, &error);
	if (n) {
		if (release_is_early(drain))
			reach.running = release_stand(drain, worker).running;
		reach.slots = source.first + source.n;
		reach.made.events += n;
		reach.made.tasks += source.n_tasks;
		put_packed(lane, worker, index, &source, &reach, error);
	}
}

/*
 * How many of n events, at most `most`, belong together: `few`, or up to the end of what the worker
 * collapsed there, as its tallies go to the same block.
 */
static uint32_t few_whole(const struct wire_event *slot, uint64_t first, uint64_t mask, uint64_t n,
			  uint32_t few, uint32_t most)
{
	uint32_t end = 0;
	bool tallied = true; /* what is collapsed before `end` */

	for (most = n < most ? (uint32_t)n : most; end < most; end++) {
		unsigned kind = event_kind(&slot[(first + end) & mask]);

		if (end >= few && tallied && kind != WIRE_TALLY)
			break;
		tallied = kind == WIRE_TALLY || (tallied && kind != WIRE_COLLAPSED);
	}
	return end;
}

void stream_put(struct drain *drain, struct worker *worker, uint32_t index,
		const struct encode_source *events, const struct worker_taken *stand)
{
	struct lane *lane = drain->lanes.at[0]; /* the only one, as yet */

	for (uint32_t done = 0; done < events->n && !has_failed(drain);) {
		struct encode_source source = source_of(drain, worker);
		struct reach reach = { .running = release_taken(drain, worker)->running };
		uint32_t left = events->n - done;

		source.slot = events->slot;
		source.mask = events->mask;
		source.first = events->first + done;
		source.n = few_whole(source.slot, source.first, source.mask, left, BLOCK_EVENTS,
				     ENCODE_EVENTS_MAX);
		done += source.n;
		encode_begin(lane->encoder, &source, index);
		int error = encode_add(lane->encoder, &source);

		reach.running = release_running(&source, index, reach.running);
		reach.slots = stand->slots - (events->n - done);
		reach.made = stand->made;
		left = events->n - done;
		const struct worker_made more =
			release_made(events->slot, events->first + done, events->mask, left);

		reach.made.events -= more.events;
		reach.made.tasks -= more.tasks;
		put_packed(lane, worker, index, &source, &reach, error);
	}
}

/* ---- what is held, to be collapsed ---- */

uint32_t stream_find(struct drain *drain, uint32_t n_workers)
{
	if (n_workers > drain->n_streams) {
		uint32_t n = (n_workers + 63) & ~63u;
		struct stream *stream = realloc(drain->stream, n * sizeof(*stream));

		if (!stream) {
			trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
			n_workers = drain->n_streams;
		} else {
			memset(stream + drain->n_streams, 0,
			       (n - drain->n_streams) * sizeof(*stream));
			drain->stream = stream;
			drain->n_streams = n;
		}
	}
	for (uint32_t i = 0; i < n_workers; i++)
		if (!drain->stream[i].worker)
			drain->stream[i].worker = drain->worker_at(drain->arg, i);
	return n_workers;
}

/* For a stream that holds events, and the lane that has it now. */
static struct stream *stream_of(struct lane *lane, struct worker *worker, uint32_t index)
{
	struct stream *stream = &lane->drain->stream[index];
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);

	if (!stream->begun) /* at once, or where an heir goes on */
		stream->hold.ids = stream->hold.ids_before =
			release_taken(lane->drain, worker)->n_ids;
	stream->begun = true;
	stream->hold.spare = &lane->spare;
	if (release_before(stream->to, tail))
		stream->to = tail;
	return stream;
}

/* Writes all that is held of a worker. */
static void put_held(struct lane *lane, struct worker *worker, uint32_t index,
		     struct stream *stream)
{
	struct drain *drain = lane->drain;
	const struct worker_taken *taken = release_taken(drain, worker);
	struct encode_source source = source_of(drain, worker);
	struct reach reach = { .slots = stream->to };
	struct hold *hold = &stream->hold;
	int error;

	hold_collapse(hold, lane->collapse, &drain->limits, index);
	if (hold->n == 0)
		return;
	source.slot = hold->event;
	source.mask = UINT64_MAX;
	source.n = hold->n;
	encode_begin(lane->encoder, &source, index);
	error = encode_add(lane->encoder, &source);
	reach.running = release_running(&source, index, taken->running);
	reach.made = release_made(hold->event, 0, UINT64_MAX, hold->n);
	release_add(&reach.made, &taken->made);
	put_packed(lane, worker, index, &source, &reach, error);
	hold_clear(hold);
}

/* Slots of the ring whose events were taken, but are not in the file. */
static uint64_t kept_slots(const struct worker *worker, const struct stream *stream)
{
	return stream->to - atomic_load_explicit(&worker->tail, memory_order_relaxed);
}

/* Makes room for a slice: by collapsing what is held, or else by writing it. */
static void make_room(struct lane *lane, struct worker *worker, uint32_t index,
		      struct stream *stream, uint32_t n)
{
	const struct hold *hold = &stream->hold;

	if (hold_has_room(hold, n))
		return;
	hold_collapse(&stream->hold, lane->collapse, &lane->drain->limits, index);
	if (!hold_has_room(hold, lane->spare.room / 2) || !hold_has_room(hold, n))
		put_held(lane, worker, index, stream);
}

/* As put_block(), but what is taken is held. */
static void hold_some(struct lane *lane, struct worker *worker, uint32_t index,
		      struct stream *stream)
{
	struct drain *drain = lane->drain;
	uint64_t n_held = 0, n = STEP_EVENTS, left = 0;

	while (n_held < BLOCK_EVENTS && (n < left || n >= STEP_EVENTS) && !has_failed(drain)) {
		left = stream_untaken(drain, worker, stream->to);
		if (left == 0)
			return;
		struct collapse_source source = { .slot = worker_slots(worker),
						  .mask = stream_slots(drain, worker) - 1,
						  .first = stream->to,
						  .worker = index };

		n = source.n = few_whole(source.slot, source.first, source.mask, left, STEP_EVENTS,
					 lane->spare.room);
		make_room(lane, worker, index, stream, source.n);
		const struct worker_made made =
			release_made(source.slot, source.first, source.mask, n);

		if (hold_add(&stream->hold, lane->collapse, &drain->limits, &source) < 0)
			fail(lane, ENOMEM, "cannot hold events");
		stream->to += n;
		n_held += n;
		if (release_is_early(drain))
			release_early(drain, worker, index,
				      &(struct encode_source){ .slot = source.slot,
							       .mask = source.mask,
							       .first = source.first,
							       .n = source.n,
							       .shift = drain->shift,
							       .n_ids = source.n_ids },
				      &made);
		else if (kept_slots(worker, stream) > stream_slots(drain, worker) / 2)
			put_held(lane, worker, index, stream); /* or the worker finds no room */
	}
}

/* Where the worker's events begin that were not taken yet. */
uint64_t stream_to(const struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);

	if (index >= drain->n_streams || release_before(drain->stream[index].to, tail) ||
	    has_failed(drain))
		return tail; /* nothing that was held will be written, after an error */
	return drain->stream[index].to;
}

/* Gives n events back that are for no file any more. */
static void pass_over(struct drain *drain, struct worker *worker, uint32_t index, uint64_t from,
		      uint64_t n)
{
	struct worker_made made;
	struct encode_source source = { .slot = worker_slots(worker),
					.mask = stream_slots(drain, worker) - 1,
					.first = from,
					.n = (uint32_t)n,
					.shift = drain->shift,
					.n_ids = release_stand(drain, worker).n_ids };

	for (uint32_t i = 0; i < source.n; i++) {
		const struct wire_event *event = &source.slot[(from + i) & source.mask];

		source.n_ids = ids_after(event_kind(event), event->b, source.n_ids);
	}
	made = release_made(source.slot, source.first, source.mask, source.n);
	release_early(drain, worker, index, &source, &made);
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
bool stream_take(struct lane *lane, struct worker *worker, uint32_t index, uint64_t n_least)
{
	struct drain *drain = lane->drain;
	uint64_t to = stream_to(drain, worker, index), n = stream_untaken(drain, worker, to);

	if (n < n_least)
		return false;
	if (drain->full) {
		const struct worker_made made =
			release_made(worker_slots(worker), to, stream_slots(drain, worker) - 1, n);

		worker->n_past += n;
		release_add(&release_taken(drain, worker)->made, &made);
		release_taken(drain, worker)->slots = to + n;
		release_slots(worker, to + n);
	} else if (has_failed(drain)) {
		pass_over(drain, worker, index, to, n);
	} else if (lane->collapse) {
		struct stream *stream = stream_of(lane, worker, index);

		hold_some(lane, worker, index, stream);
		if (!drain->session->hold_slots) { /* one hold for all */
			put_held(lane, worker, index, stream);
			hold_give_back(&stream->hold);
		}
	} else {
		put_block(lane, worker, index);
	}
	return true;
}

/* Takes all that was in the ring when it was called, in as many blocks as that makes. */
static bool take_ring(struct lane *lane, struct worker *worker, uint32_t index)
{
	const struct drain *drain = lane->drain;
	uint64_t to = stream_to(drain, worker, index), end = to + stream_untaken(drain, worker, to);
	bool took = false;

	while (release_before(stream_to(drain, worker, index), end) &&
	       stream_take(lane, worker, index, 1))
		took = true;
	return took;
}

/* Of a worker that was waited for, whose ring is empty.  False if it got on meanwhile. */
static bool keep_rest(struct lane *lane, struct stream *stream, uint32_t index)
{
	struct drain *drain = lane->drain;
	uint64_t handed = worker_handed(stream->worker);

	if (drain->full || has_failed(drain))
		return true;
	if (!fetch_rest(stream->worker, drain->n_slots, stream_to(drain, stream->worker, index),
			&stream->rest)) {
		if (!stream->rest.event)
			fail(lane, ENOMEM, "cannot hold events");
		return !stream->rest.event;
	}
	stream->stalled = handed;
	return true;
}

bool stream_put_rest(struct drain *drain, struct trace_file *file, uint32_t index,
		     struct note_place *place)
{
	struct fetch_rest rest = { 0 };
	struct encode_source source = { .mask = UINT64_MAX,
					.shift = drain->shift,
					.step = drain->step,
					.last_units = place->units,
					.n_ids = place->n_ids };
	struct wire_block block = { .worker = index, .seqno = place->seqno };
	const void *body;
	int error;

	if (index < drain->n_streams && !drain->full)
		rest = drain->stream[index].rest;
	if (rest.n == 0)
		return false;
	source.slot = rest.event;
	source.n = rest.n;
	error = encode_block(drain->lanes.at[0]->encoder, &source, &block, &body);
	if (error)
		trace_file_fail(file, -error, "cannot pack events");
	else
		trace_file_put(file, &block, body);
	place->seqno++;
	place->units = source.last_units;
	place->n_ids = source.n_ids;
	return true;
}

bool stream_take_all(struct lane *lane, struct worker *worker, uint32_t index, bool patient,
		     bool *whole)
{
	const struct drain *drain = lane->drain;
	struct stream *stream = &lane->drain->stream[index];
	uint64_t until = atomic_load_explicit(&worker->head, memory_order_acquire);
	uint32_t n_tries = 8; /* the words are the program's */
	bool took = false, more, left;

	do { /* once more if there was no room for all, or the worker was at it */
		left = !fetch(worker, drain->n_slots,
			      patient && worker_handed(worker) != stream->stalled);
		*whole = is_handed(worker, until);
		more = take_ring(lane, worker, index);
		took |= more;
		stream->rest.n = 0;
	} while (!*whole &&
		 (more || (patient && left && --n_tries && !keep_rest(lane, stream, index))));
	return took;
}

void stream_put_held(struct lane *lane, uint32_t index)
{
	struct drain *drain = lane->drain;
	struct stream *stream = &drain->stream[index];

	if (stream->hold.n == 0 || has_failed(drain))
		return;
	stream->hold.spare = &lane->spare;
	put_held(lane, stream->worker, index, stream);
}
