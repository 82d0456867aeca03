/* SPDX-License-Identifier: MIT */
/* stream.c - takes a worker's events from its ring, collapses what it holds, and packs blocks. */
#include "collector/drain/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/drain.h"
#include "collector/drain/fetch.h"
#include "collector/trace/lines.h"
#include "preload/session/gate.h"
#include "preload/session/handed.h"
#include "preload/session/futex.h"

#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u
#define RESERVE_WORKER_BYTES 256u /* in a file of bounded size, for the gaps of each worker */

/* Guards counts that the program may have overwritten; others never wrap. */
static bool is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(b - a) > 0;
}

uint64_t stream_slots(const struct drain *drain, const struct worker *worker)
{
	uint64_t n = worker_n_slots(worker);

	return n == 0 || n > drain->n_slots || n & (n - 1) ? drain->n_slots : n;
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

bool stream_is_fresh(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);

	return worker->thins && handed_base(worker_handed(worker), head) != head;
}

struct note_slots stream_left(const struct drain *drain, struct worker *worker, uint32_t index)
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
			slots.slot = worker_fresh(worker, drain->n_slots);
			slots.first = head - n_fresh;
			slots.mask = FRESH_SLOTS - 1;
			slots.n = n_fresh;
		}
	} while (worker->thins && worker_handed(worker) != handed && --n_tries);
	return slots;
}

/* How the worker's part of the trace stands. */
struct worker_taken *stream_taken(struct drain *drain, struct worker *worker)
{
	struct worker_taken *taken = &worker->taken[0];

	if (worker->taken[1].n_blocks > taken->n_blocks)
		taken = &worker->taken[1];
	if (taken->n_blocks == 0)
		taken->last_units = drain->begin_units;
	return taken;
}

/* Gives the slots up to `tail` back to the worker, who may be waiting for them. */
static void release(struct worker *worker, uint64_t tail)
{
	if (!is_before(atomic_load_explicit(&worker->tail, memory_order_relaxed), tail))
		return;
	atomic_store_explicit(&worker->tail, tail, memory_order_release);
	atomic_fetch_add(&worker->tail_moves, 1);
	if (atomic_load(&worker->waiting))
		futex_wake(&worker->tail_moves);
}

/*
 * Whether slots are given back before their block is in the file.  That gives a worker at full
 * speed more room; but then a killed process takes them with it, and where there is a ring file
 * nothing of it shall be lost.
 */
static bool releases_early(const struct drain *drain)
{
	return drain->session->facts.ring == 0;
}

/*
 * The task whose strand runs behind the events that have just been taken; `running` is
 * the one before them.  The id of a task that begins where it is made is the worker's last.
 */
static uint64_t running_after(const struct encode_source *source, uint32_t worker, uint64_t running)
{
	for (uint32_t i = source->n; i-- > 0;) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];

		unsigned kind = event_kind(event);

		if (kind == WIRE_BEGIN || kind == WIRE_RESUME)
			return event->b;
		if (kind_begins(kind))
			return id_make(worker, source->n_ids);
		if (kind_ends(kind) || kind == WIRE_LOST)
			return 0;
	}
	return running;
}

/* The time of the last timed event that has just been taken, as the encoder reckons it. */
static uint64_t units_after(const struct encode_source *source, uint64_t last_units)
{
	const uint64_t mask = UINT64_MAX >> 8 >> source->shift;

	for (uint32_t i = source->n; i-- > 0;) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];
		uint64_t since = ((event_ticks(event) >> source->shift) - last_units) & mask;

		if (kind_timed(event_kind(event)))
			return since <= mask / 2 ? last_units + since : last_units;
	}
	return last_units;
}

/* How the worker's part stands where its tail is; what slots were given back for is in no block
 * yet. */
struct worker_taken stream_stand(struct drain *drain, struct worker *worker)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	const struct worker_taken *taken = stream_taken(drain, worker);

	for (int i = 0; i < 2; i++)
		if (worker->released[i].slots == tail && is_before(taken->slots, tail))
			return worker->released[i];
	return *taken;
}

/* Events that those that have just been taken say are lost; if any ever were. */
static uint64_t count_dropped(const struct encode_source *source)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < source->n; i++) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];

		if (event_kind(event) == WIRE_LOST && lost_why(event->b) != WIRE_LOSS_STOPPED)
			n += lost_n(event->b);
	}
	return n;
}

/* The tasks that were collapsed before they came to the ring. */
static uint64_t count_thinned(const struct encode_source *source)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < source->n; i++)
		n += stream_thinned(&source->slot[(source->first + i) & source->mask]);
	return n;
}

/*
 * Gives the source's slots back, though no block has them.  If the collector dies before one has,
 * who goes on in its place finds how the stream stands at the tail (heir.c): that is written to the
 * half that the tail is not at yet.  `n_ids` of the source: behind its events.
 */
static void release_early(struct drain *drain, struct worker *worker, uint32_t index,
			  const struct encode_source *source)
{
	struct worker_taken stand = stream_stand(drain, worker);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	int half = worker->released[0].slots == tail;

	stand.slots = source->first + source->n;
	stand.last_units = units_after(source, stand.last_units);
	stand.n_ids = source->n_ids;
	stand.running = running_after(source, index, stand.running);
	if (atomic_load_explicit(&worker->lost, memory_order_relaxed))
		stand.n_dropped += count_dropped(source);
	if (worker->thins)
		stand.n_thinned += count_thinned(source);
	worker->released[half] = stand;
	release(worker, stand.slots);
}

/* Events in a block at most; of a ring that is kept until the block is written, a part of it. */
static uint32_t block_events(const struct drain *drain, const struct worker *worker)
{
	uint64_t n_slots = stream_slots(drain, worker);

	if (releases_early(drain) || n_slots / 4 >= BLOCK_EVENTS)
		return BLOCK_EVENTS;
	return (uint32_t)n_slots / 4;
}

/*
 * Packs what a worker has, and what it adds meanwhile, up to a block: how many events.  Packing
 * is faster than recording; the slow part, compression, comes after.
 */
static uint32_t pack(struct drain *drain, struct worker *worker, struct encode_source *source,
		     uint32_t index, uint64_t *running, int *error)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint32_t n_packed = 0, most = block_events(drain, worker);

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
		*error = encode_add(drain->encoder, source);
		if (drain->flight.max_bytes)
			*running = running_after(source, index, *running);
		tail += n;
		n_packed += (uint32_t)n;
		if (releases_early(drain))
			release_early(drain, worker, index, source);
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
		DRAIN_RESERVE_BYTES + index_bytes + stream_workers(drain) * RESERVE_WORKER_BYTES;

	return !max_bytes ||
	       drain->file.bytes + sizeof(*block) + block->body_bytes + end_bytes <= max_bytes;
}

/*
 * `taken` is made right for after the block before that is written, in its other half: whenever the
 * process is killed, the number of blocks in the file says which half holds (recover.c).
 */
static void put_packed(struct drain *drain, struct worker *worker, uint32_t index,
		       struct encode_source *source, uint64_t slots, uint64_t running, int error)
{
	const struct worker_taken stand = stream_stand(drain, worker);
	struct worker_taken *taken = stream_taken(drain, worker);
	struct worker_taken *next = &worker->taken[(taken->n_blocks + 1) & 1];
	struct wire_block block = { .worker = index, .seqno = taken->n_blocks };
	const void *body;

	if (!error)
		error = encode_end(drain->encoder, source, &block, &body);
	if (error) {
		trace_file_fail(&drain->file, -error, "cannot pack events");
		return;
	}
	if (!drain->flight.max_bytes && (drain->full || !fits(drain, &block))) {
		if (!drain->full)
			gate_shut(drain->session, WIRE_LOSS_SIZE, drain->worker_at, drain->arg);
		drain->full = true; /* and what comes after this block has no place, either */
		worker->n_past += block.n_events;
		taken->slots = slots;
		release(worker, slots);
		return;
	}
	*next = (struct worker_taken){ .slots = slots,
				       .last_units = source->last_units,
				       .n_ids = source->n_ids,
				       .running = running,
				       .n_dropped = stand.n_dropped,
				       .n_thinned = stand.n_thinned,
				       .n_blocks = taken->n_blocks + 1 };
	drain->n_tasks += source->n_tasks;
	if (!drain->flight.max_bytes)
		trace_file_put(&drain->file, &block, body);
	else if (flight_put(&drain->flight, &block, body, taken->last_units, taken->running) < 0)
		trace_file_fail(&drain->file, ENOMEM, "cannot keep events");
	release(worker, slots);
}

static struct encode_source source_of(struct drain *drain, struct worker *worker)
{
	const struct worker_taken *taken = stream_taken(drain, worker);

	return (struct encode_source){ .shift = drain->shift,
				       .last_units = taken->last_units,
				       .n_ids = taken->n_ids };
}

static void put_block(struct drain *drain, struct worker *worker, uint32_t index)
{
	struct encode_source source = source_of(drain, worker);
	uint64_t running = stream_taken(drain, worker)->running;
	int error = 0;

	source.slot = worker_slots(worker);
	encode_begin(drain->encoder, &source, index);
	if (pack(drain, worker, &source, index, &running, &error)) {
		if (releases_early(drain))
			running = stream_stand(drain, worker).running;
		put_packed(drain, worker, index, &source, source.first + source.n, running, error);
	}
}

void stream_put(struct drain *drain, struct worker *worker, uint32_t index,
		const struct encode_source *events, uint64_t slots)
{
	for (uint32_t done = 0; done < events->n && !drain->file.error;) {
		struct encode_source source = source_of(drain, worker);
		uint64_t running = stream_taken(drain, worker)->running;
		uint32_t left = events->n - done;

		source.slot = events->slot;
		source.mask = events->mask;
		source.first = events->first + done;
		source.n = left < BLOCK_EVENTS ? left : BLOCK_EVENTS;
		done += source.n;
		encode_begin(drain->encoder, &source, index);
		int error = encode_add(drain->encoder, &source);

		running = running_after(&source, index, running);
		put_packed(drain, worker, index, &source, slots - (events->n - done), running,
			   error);
	}
}

static void put_collapsed(struct drain *drain, struct lines *out, const void *unused)
{
	(void)unused;
	describe_collapsed(drain->collapse, &drain->earlier, drain->shift, out);
}

/* ---- what is held, to be collapsed ---- */

static struct stream *stream_of(struct drain *drain, struct worker *worker, uint32_t index)
{
	if (index >= drain->n_streams) {
		uint32_t n = (index + 64) & ~63u;
		struct stream *stream = realloc(drain->stream, n * sizeof(*stream));

		if (!stream)
			return NULL;
		memset(stream + drain->n_streams, 0, (n - drain->n_streams) * sizeof(*stream));
		drain->stream = stream;
		drain->n_streams = n;
	}
	struct stream *stream = &drain->stream[index];
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);

	if (!stream->begun) /* at once, or where an heir goes on */
		stream->hold.ids = stream->hold.ids_before = stream_taken(drain, worker)->n_ids;
	stream->begun = true;
	stream->hold.spare = &drain->spare;
	if (is_before(stream->to, tail))
		stream->to = tail;
	return stream;
}

/* Writes all that is held of a worker. */
static void put_held(struct drain *drain, struct worker *worker, uint32_t index,
		     struct stream *stream)
{
	struct encode_source source = source_of(drain, worker);
	struct hold *hold = &stream->hold;

	hold_collapse(hold, drain->collapse, &drain->limits, index);
	if (hold->n == 0)
		return;
	source.slot = hold->event;
	source.mask = UINT64_MAX;
	source.n = hold->n;
	encode_begin(drain->encoder, &source, index);
	put_packed(drain, worker, index, &source, stream->to, stream_stand(drain, worker).running,
		   encode_add(drain->encoder, &source));
	hold_clear(hold);
	if (drain->session->options.max_bytes &&
	    !drain->full) /* none may be told that is left out */
		lines_put(drain, &drain->file, put_collapsed, NULL);
}

/* Slots of the ring whose events were taken, but are not in the file. */
static uint64_t kept_slots(const struct worker *worker, const struct stream *stream)
{
	return stream->to - atomic_load_explicit(&worker->tail, memory_order_relaxed);
}

/* Makes room for a slice: by collapsing what is held, or else by writing it. */
static void make_room(struct drain *drain, struct worker *worker, uint32_t index,
		      struct stream *stream)
{
	if (hold_has_room(&stream->hold, STEP_EVENTS))
		return;
	hold_collapse(&stream->hold, drain->collapse, &drain->limits, index);
	if (!hold_has_room(&stream->hold, drain->spare.room / 2))
		put_held(drain, worker, index, stream);
}

/* As put_block(), but what is taken is held. */
static void hold_some(struct drain *drain, struct worker *worker, uint32_t index,
		      struct stream *stream)
{
	uint64_t n_held = 0, n = STEP_EVENTS;

	while (n_held < BLOCK_EVENTS && n == STEP_EVENTS && !drain->file.error) {
		n = stream_untaken(drain, worker, stream->to);
		if (n > STEP_EVENTS)
			n = STEP_EVENTS;
		if (n == 0)
			return;
		make_room(drain, worker, index, stream);
		struct collapse_source source = { .slot = worker_slots(worker),
						  .mask = stream_slots(drain, worker) - 1,
						  .first = stream->to,
						  .n = (uint32_t)n,
						  .worker = index };

		if (hold_add(&stream->hold, drain->collapse, &drain->limits, &source) < 0)
			trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
		stream->to += n;
		n_held += n;
		if (releases_early(drain))
			release_early(drain, worker, index,
				      &(struct encode_source){ .slot = source.slot,
							       .mask = source.mask,
							       .first = source.first,
							       .n = source.n,
							       .shift = drain->shift,
							       .n_ids = source.n_ids });
		else if (kept_slots(worker, stream) > stream_slots(drain, worker) / 2)
			put_held(drain, worker, index, stream); /* or the worker finds no room */
	}
}

/* Where the worker's events begin that were not taken yet. */
uint64_t stream_to(const struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);

	if (index >= drain->n_streams || is_before(drain->stream[index].to, tail) ||
	    drain->file.error)
		return tail; /* nothing that was held will be written, after an error */
	return drain->stream[index].to;
}

/* Gives n events back that are for no file any more. */
static void pass_over(struct drain *drain, struct worker *worker, uint32_t index, uint64_t from,
		      uint64_t n)
{
	struct encode_source source = { .slot = worker_slots(worker),
					.mask = stream_slots(drain, worker) - 1,
					.first = from,
					.n = (uint32_t)n,
					.shift = drain->shift,
					.n_ids = stream_stand(drain, worker).n_ids };

	for (uint32_t i = 0; i < source.n; i++) {
		const struct wire_event *event = &source.slot[(from + i) & source.mask];

		source.n_ids = ids_after(event_kind(event), event->b, source.n_ids);
	}
	release_early(drain, worker, index, &source);
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
bool stream_take(struct drain *drain, struct worker *worker, uint32_t index, uint64_t n_least)
{
	uint64_t to = stream_to(drain, worker, index), n = stream_untaken(drain, worker, to);

	if (n < n_least)
		return false;
	struct stream *stream = drain->collapse ? stream_of(drain, worker, index) : NULL;

	if (drain->collapse && !stream)
		trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
	if (drain->full) {
		worker->n_past += n;
		stream_taken(drain, worker)->slots = to + n;
		release(worker, to + n);
	} else if (drain->file.error) {
		pass_over(drain, worker, index, to, n);
	} else if (stream) {
		hold_some(drain, worker, index, stream);
		if (!drain->session->hold_slots) { /* one hold for all */
			put_held(drain, worker, index, stream);
			hold_give_back(&stream->hold);
		}
	} else {
		put_block(drain, worker, index);
	}
	return true;
}

/* Takes all that was in the ring when it was called, in as many blocks as that makes. */
static bool take_ring(struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t to = stream_to(drain, worker, index), end = to + stream_untaken(drain, worker, to);
	bool took = false;

	while (is_before(stream_to(drain, worker, index), end) &&
	       stream_take(drain, worker, index, 1))
		took = true;
	return took;
}

static bool fetch_all(const struct drain *drain, struct worker *worker, bool patient)
{
	return fetch(worker, stream_slots(drain, worker), drain->n_slots, patient);
}

bool stream_take_all(struct drain *drain, struct worker *worker, uint32_t index, bool patient)
{
	bool whole = fetch_all(drain, worker, patient), took = take_ring(drain, worker, index);

	if (!whole && took && fetch_all(drain, worker, patient)) /* there was no room for all */
		take_ring(drain, worker, index);
	return took;
}

void stream_put_held(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->n_streams; i++)
		if (drain->stream[i].hold.n && !drain->file.error)
			put_held(drain, drain->worker_at(drain->arg, i), i, &drain->stream[i]);
}
