/* SPDX-License-Identifier: MIT */
/* drain.c - takes a session's rings to its trace file: streams, blocks, definitions, rounds. */
#include "collector/drain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/defs.h"
#include "collector/note.h"
#include "collector/path.h"
#include "preload/gate.h"
#include "preload/worker.h"

#define SHIFT_MOST 2u	    /* a clock of 8 GHz has jumped */
#define FLUSH_BLOCKS 4u	    /* all rings are taken after so many blocks, too */
#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u
#define COLLAPSED_PARTS 128u	  /* no task is collapsed that takes more of the time so far */
#define LEAST_EVENTS 96u	  /* fewer are not worth it; more than WIRE_HIDDEN_FIELDS */
#define RESERVE_BYTES (32u << 10) /* of a file of bounded size, for definitions and its end */
#define RESERVE_WORKER_BYTES 256u /* and for what is missing of each worker */
#define LOST_N ((UINT64_C(1) << WIRE_LOSS_SHIFT) - 1)

/* Ticks are shifted to units as near to 1 ns as a power of two gets them, but not above; or not at
 * all if the clock has jumped. */
static uint32_t choose_shift(struct session *session)
{
	struct clock_pair now = clock_pair(session->clock);
	uint64_t ns = now.ns - session->begin.ns;
	uint64_t ticks = now.ticks - session->begin.ticks;
	uint32_t shift = 0;

	while (ns && shift <= SHIFT_MOST && ticks >> (shift + 1) >= ns)
		shift++;
	return shift <= SHIFT_MOST ? shift : 0;
}

/* Of counts that somebody may have written over; else they never wrap. */
static bool is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(b - a) > 0;
}

uint64_t drain_slots(const struct drain *drain, const struct worker *worker)
{
	uint64_t n = worker_n_slots(worker);

	return n == 0 || n > drain->n_slots || n & (n - 1) ? drain->n_slots : n;
}

/*
 * How many events there are in a ring from `from` on.  Never more than it holds, and never less
 * than none, whatever is written in it: the program may have a pointer astray.
 */
static uint64_t untaken(const struct drain *drain, const struct worker *worker, uint64_t from)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);

	return head - tail <= drain->n_slots && head - from <= drain->n_slots ? head - from : 0;
}

/* How the worker's part of the trace stands. */
static struct worker_taken *taken_of(struct drain *drain, struct worker *worker)
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

		unsigned kind = event->a & 0xff;

		if (kind == WIRE_BEGIN || kind == WIRE_RESUME)
			return event->b;
		if (wire_begins_strand(kind))
			return (uint64_t)worker << WIRE_ID_WORKER_SHIFT | source->n_ids;
		if (wire_ends_strand(kind) || kind == WIRE_LOST)
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
		uint64_t since = ((event->a >> 8 >> source->shift) - last_units) & mask;

		if ((event->a & 0xff) < WIRE_FIRST_UNTIMED)
			return since <= mask / 2 ? last_units + since : last_units;
	}
	return last_units;
}

/* How the worker's part stands where its tail is; what slots were given back for is in no block
 * yet. */
struct worker_taken drain_stand(struct drain *drain, struct worker *worker)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	const struct worker_taken *taken = taken_of(drain, worker);

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

		if ((event->a & 0xff) == WIRE_LOST &&
		    event->b >> WIRE_LOSS_SHIFT != WIRE_LOSS_STOPPED)
			n += event->b & LOST_N;
	}
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
	struct worker_taken stand = drain_stand(drain, worker);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	int half = worker->released[0].slots == tail;

	stand.slots = source->first + source->n;
	stand.last_units = units_after(source, stand.last_units);
	stand.n_ids = source->n_ids;
	stand.running = running_after(source, index, stand.running);
	if (atomic_load_explicit(&worker->lost, memory_order_relaxed))
		stand.n_dropped += count_dropped(source);
	worker->released[half] = stand;
	release(worker, stand.slots);
}

/* Events in a block at most; of a ring that is kept until the block is written, a part of it. */
static uint32_t block_events(const struct drain *drain, const struct worker *worker)
{
	uint64_t n_slots = drain_slots(drain, worker);

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
		uint64_t n = untaken(drain, worker, tail);

		if (n > STEP_EVENTS)
			n = STEP_EVENTS;
		if (n == 0 || (n_packed && n < STEP_EVENTS / 4))
			break;
		if (n > most - n_packed)
			n = most - n_packed;
		source->first = tail;
		source->mask = drain_slots(drain, worker) - 1;
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

static uint32_t workers_of(const struct drain *drain)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);

	return n < WIRE_WORKERS ? n : WIRE_WORKERS;
}

/* Whether a file of bounded size has room for a block, and for its own end. */
static bool fits(const struct drain *drain, const struct wire_block *block)
{
	uint64_t max_bytes = drain->session->options.max_bytes;
	uint64_t index_bytes = (drain->file.n_blocks + 16) * sizeof(*block);
	uint64_t end_bytes = RESERVE_BYTES + workers_of(drain) * RESERVE_WORKER_BYTES + index_bytes;

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
	struct worker_taken *taken = taken_of(drain, worker);
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
				       .n_dropped = drain_stand(drain, worker).n_dropped,
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
	const struct worker_taken *taken = taken_of(drain, worker);

	return (struct encode_source){ .shift = drain->shift,
				       .last_units = taken->last_units,
				       .n_ids = taken->n_ids };
}

static void put_block(struct drain *drain, struct worker *worker, uint32_t index)
{
	struct encode_source source = source_of(drain, worker);
	uint64_t running = taken_of(drain, worker)->running;
	int error = 0;

	source.slot = worker_slots(worker);
	encode_begin(drain->encoder, &source, index);
	if (pack(drain, worker, &source, index, &running, &error)) {
		if (releases_early(drain))
			running = drain_stand(drain, worker).running;
		put_packed(drain, worker, index, &source, source.first + source.n, running, error);
	}
}

void drain_put(struct drain *drain, struct worker *worker, uint32_t index,
	       const struct encode_source *events, uint64_t slots)
{
	for (uint32_t done = 0; done < events->n && !drain->file.error;) {
		struct encode_source source = source_of(drain, worker);
		uint64_t running = taken_of(drain, worker)->running;
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

/* A block of lines that `put` writes; context is its own. */
static void put_lines(struct drain *drain, struct trace_file *file,
		      void (*put)(struct drain *, FILE *, const void *), const void *context)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out) {
		trace_file_fail(&drain->file, ENOMEM, "cannot write definitions");
		return;
	}
	put(drain, out, context);
	if (fclose(out) == 0)
		trace_file_put_defs(file, text, bytes);
	else
		trace_file_fail(&drain->file, ENOMEM, "cannot write definitions");
	free(text);
}

static void put_hidden(struct drain *drain, FILE *out, const void *unused)
{
	(void)unused;
	describe_hidden(drain->collapse, &drain->earlier, drain->shift, out);
}

/* ---- what is held, to be collapsed ---- */

static struct drain_stream *stream_of(struct drain *drain, struct worker *worker, uint32_t index)
{
	if (index >= drain->n_streams) {
		uint32_t n = (index + 64) & ~63u;
		struct drain_stream *stream = realloc(drain->stream, n * sizeof(*stream));

		if (!stream)
			return NULL;
		memset(stream + drain->n_streams, 0, (n - drain->n_streams) * sizeof(*stream));
		drain->stream = stream;
		drain->n_streams = n;
	}
	struct drain_stream *stream = &drain->stream[index];
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);

	if (!stream->begun) /* at once, or where an heir goes on */
		stream->hold.ids = stream->hold.ids_before = taken_of(drain, worker)->n_ids;
	stream->begun = true;
	stream->hold.spare = &drain->spare;
	if (is_before(stream->to, tail))
		stream->to = tail;
	return stream;
}

/* Writes all that is held of a worker. */
static void put_held(struct drain *drain, struct worker *worker, uint32_t index,
		     struct drain_stream *stream)
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
	put_packed(drain, worker, index, &source, stream->to, drain_stand(drain, worker).running,
		   encode_add(drain->encoder, &source));
	hold_clear(hold);
	if (drain->session->options.max_bytes &&
	    !drain->full) /* none may be told that is left out */
		put_lines(drain, &drain->file, put_hidden, NULL);
}

/* Slots of the ring whose events were taken, but are not in the file. */
static uint64_t kept_slots(const struct worker *worker, const struct drain_stream *stream)
{
	return stream->to - atomic_load_explicit(&worker->tail, memory_order_relaxed);
}

/* Makes room for a slice: by collapsing what is held, or else by writing it. */
static void make_room(struct drain *drain, struct worker *worker, uint32_t index,
		      struct drain_stream *stream)
{
	if (hold_has_room(&stream->hold, STEP_EVENTS))
		return;
	hold_collapse(&stream->hold, drain->collapse, &drain->limits, index);
	if (!hold_has_room(&stream->hold, drain->spare.room / 2))
		put_held(drain, worker, index, stream);
}

/* As put_block(), but what is taken is held. */
static void hold_some(struct drain *drain, struct worker *worker, uint32_t index,
		      struct drain_stream *stream)
{
	uint64_t n_held = 0, n = STEP_EVENTS;

	while (n_held < BLOCK_EVENTS && n == STEP_EVENTS && !drain->file.error) {
		n = untaken(drain, worker, stream->to);
		if (n > STEP_EVENTS)
			n = STEP_EVENTS;
		if (n == 0)
			return;
		make_room(drain, worker, index, stream);
		struct collapse_source source = { .slot = worker_slots(worker),
						  .mask = drain_slots(drain, worker) - 1,
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
		else if (kept_slots(worker, stream) > drain_slots(drain, worker) / 2)
			put_held(drain, worker, index, stream); /* or the worker finds no room */
	}
}

/* Where the worker's events begin that were not taken yet. */
static uint64_t taken_to(const struct drain *drain, struct worker *worker, uint32_t index)
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
					.mask = drain_slots(drain, worker) - 1,
					.first = from,
					.n = (uint32_t)n,
					.shift = drain->shift,
					.n_ids = drain_stand(drain, worker).n_ids };

	for (uint32_t i = 0; i < source.n; i++) {
		const struct wire_event *event = &source.slot[(from + i) & source.mask];

		source.n_ids = wire_ids_after(event->a & 0xff, event->b, source.n_ids);
	}
	release_early(drain, worker, index, &source);
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
static bool take(struct drain *drain, struct worker *worker, uint32_t index, uint64_t n_least)
{
	uint64_t to = taken_to(drain, worker, index), n = untaken(drain, worker, to);

	if (n < n_least)
		return false;
	struct drain_stream *stream = drain->collapse ? stream_of(drain, worker, index) : NULL;

	if (drain->collapse && !stream)
		trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
	if (drain->full) {
		worker->n_past += n;
		taken_of(drain, worker)->slots = to + n;
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

/* Marks that are new are kept or, if `out` is not NULL, written behind those that were kept. */
static void take_marks(struct drain *drain, FILE *out)
{
	bool keep = !out || drain->flight.max_bytes;
	struct session_mark mark;

	if (!keep && (drain->marks.n || drain->marks.n_turns)) {
		marks_put(&drain->marks, drain->shift, out);
		marks_clear(&drain->marks);
	}
	for (uint32_t i = 0;
	     i < SESSION_MARKS && gate_next_mark(drain->session, &mark, drain->last); i++) {
		if (keep)
			marks_keep(&drain->marks, &mark);
		else
			describe_mark(&mark, drain->shift, out);
	}
}

static void put_memory(struct drain *drain, FILE *out)
{
	uint64_t bytes = drain->flight.max_bytes;
	uint32_t n = workers_of(drain);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		bytes += worker ? drain_slots(drain, worker) * sizeof(struct wire_event) : 0;
	}
	if (bytes == drain->bytes_described)
		return;
	drain->bytes_described = bytes;
	fprintf(out, "meta rings %u\nmeta memory_bytes %llu\n", n, (unsigned long long)bytes);
}

/* Whose place this collector took. */
static void put_inherited(struct drain *drain, FILE *out)
{
	char *escaped = drain->before ? malloc(3 * strlen(drain->before) + 1) : NULL;

	if (drain->inherited && !drain->inherited_is_told)
		fputs("meta collector_died 1\n", out);
	if (escaped && !drain->inherited_is_told)
		fprintf(out, "meta continues %s\n", defs_escape(escaped, drain->before));
	free(escaped);
	drain->inherited_is_told = true;
}

/* Events that all workers dropped so far, and those that were lost with a collector. */
static uint64_t count_lost(struct drain *drain)
{
	uint32_t n_workers = workers_of(drain);
	uint64_t lost = drain->n_died;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		lost += worker ? atomic_load(&worker->lost) : 0;
	}
	return lost;
}

/* All up to that instant is in the file; if the clock went back meanwhile, so is what was before. */
static void put_whole(struct drain *drain, FILE *out, struct clock_pair instant)
{
	uint64_t units = instant.ticks >> drain->shift;
	uint32_t n_workers = drain->pairs.went_back ? workers_of(drain) : 0;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);
		uint64_t last = worker ? taken_of(drain, worker)->last_units : 0;

		units = last > units ? last : units;
	}
	describe_whole(instant, units, drain->shift, out);
}

static void put_new(struct drain *drain, FILE *out, const void *whole)
{
	uint64_t lost = count_lost(drain);

	describe_new(&drain->described, drain->session, drain->shift, out);
	put_inherited(drain, out);
	put_memory(drain, out);
	take_marks(drain, out);
	if (whole && drain->collapse && !drain->full)
		describe_hidden(drain->collapse, &drain->earlier, drain->shift, out);
	pairs_put(&drain->pairs, drain->shift, out);
	if (whole)
		put_whole(drain, out, *(const struct clock_pair *)whole);
	if (whole && lost)
		fprintf(out, "meta lost_events %llu\n", (unsigned long long)lost);
	if (whole)
		marks_put_lost(&drain->marks, drain->session, drain->shift, out);
}

/* All that is known, into a file that has nothing yet: what the flight recorder leaves. */
static void put_all(struct drain *drain, FILE *out, const void *whole)
{
	struct describe again = { 0 };

	describe_new(&again, drain->session, drain->shift, out);
	drain->bytes_described = 0;
	drain->inherited_is_told = false;
	put_inherited(drain, out);
	put_memory(drain, out);
	take_marks(drain, NULL);
	marks_put(&drain->marks, drain->shift, out);
	pairs_put_all(&drain->pairs, drain->shift, out);
	put_whole(drain, out, *(const struct clock_pair *)whole);
}

struct ending {
	const char *how;
	struct clock_pair end;
};

static void put_end(struct drain *drain, FILE *out, const void *context)
{
	const struct ending *ending = context;
	const char *how = ending->how;
	uint32_t n_refused = atomic_load(&drain->session->n_refused);
	uint32_t n_unnamed = atomic_load(&drain->session->n_unnamed);
	char escaped[3 * DRAIN_HOW_MAX];

	if (drain->n_unread)
		fprintf(out, "meta unrecovered_rings %u\n", drain->n_unread);
	if (n_unnamed)
		fprintf(out, "meta unnamed_sites %u\n", n_unnamed);
	if (n_refused)
		fprintf(out, "meta unrecorded_threads %u\n", n_refused);
	if (atomic_load(&drain->session->n_barred))
		fprintf(out, "meta unrecorded_calls %u\n", atomic_load(&drain->session->n_barred));
	marks_put_lost(&drain->marks, drain->session, drain->shift, out);
	closing_put(drain, out);
	fprintf(out, "meta lost_events %llu\nmeta ended %s\n",
		(unsigned long long)count_lost(drain), defs_escape(escaped, how));
	if (strcmp(how, "recovered") != 0) /* nobody saw when that was */
		fprintf(out, "meta ended_ns %llu\n", (unsigned long long)ending->end.ns);
	if (drain->session->options.max_bytes)
		fprintf(out, "meta max_size %llu\nmeta keep %s\n",
			(unsigned long long)drain->session->options.max_bytes,
			drain->session->options.keep_last ? "last" : "first");
}

static void put_snapshot(struct drain *drain, FILE *out, const void *unused)
{
	(void)unused;
	fprintf(out, "meta snapshot %u\n", drain->n_snapshots);
}

/* What is new of the program; and, unless NULL, that all up to that instant is in the file. */
static void put_definitions(struct drain *drain, const struct clock_pair *whole)
{
	if (drain->flight.max_bytes)
		take_marks(drain, NULL);
	else
		put_lines(drain, &drain->file, put_new, whole);
}

/* What a worker's stream lacks at its end: events that were dropped, and not told of yet. */
static void put_gaps_of(struct drain *drain, struct trace_file *file, uint32_t w, uint32_t seqno,
			uint64_t end_units)
{
	struct worker *worker = drain->worker_at(drain->arg, w);
	struct note_gap gap[WIRE_LOSS_OLD];

	if (!worker)
		return;
	const struct worker_taken *taken = taken_of(drain, worker);
	struct note_place place = { .worker = w,
				    .seqno = seqno == UINT32_MAX ? taken->n_blocks : seqno,
				    .units = taken->last_units,
				    .n_ids = taken->n_ids };

	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++)
		gap[why] = (struct note_gap){ .n = atomic_load(&worker->gap[why].n),
					      .since = atomic_load(&worker->gap[why].since) >>
						       drain->shift,
					      .until = end_units,
					      .why = (enum wire_loss)why };
	struct note_slots slots = { .slot = worker_slots(worker),
				    .first = taken_to(drain, worker, w),
				    .mask = drain_slots(drain, worker) - 1,
				    .shift = drain->shift };

	slots.n = untaken(drain, worker, slots.first);
	note_untaken(&slots, gap);
	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++) {
		uint64_t past = why == WIRE_LOSS_SIZE ? worker->n_past : 0;

		gap[why].n = (gap[why].n + past) & LOST_N;
		if (past || gap[why].since < taken->last_units)
			gap[why].since = taken->last_units;
		if (gap[why].until < gap[why].since)
			gap[why].until = gap[why].since;
	}
	note_put(file, drain->encoder, &place, gap, WIRE_LOSS_OLD);
}

/* The same of all workers.  seqno: of each one's next block, n of them; NULL: the trace's own. */
static void put_gaps(struct drain *drain, struct trace_file *file, uint64_t end_units,
		     const uint32_t *seqno, uint32_t n)
{
	uint32_t n_workers = workers_of(drain);

	for (uint32_t w = 0; w < n_workers; w++)
		put_gaps_of(drain, file, w, !seqno ? UINT32_MAX : w < n ? seqno[w] : 0, end_units);
}

/* Writes what the flight recorder holds to a new file, but for its end. */
static int put_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	uint64_t end_units = end->ticks >> drain->shift;
	uint32_t *seqno = malloc((drain->flight.n_workers + 1) * sizeof(*seqno));

	if (!seqno)
		return trace_file_fail(file, ENOMEM, "cannot write what was kept");
	put_lines(drain, file, put_all, end);
	if (flight_write(&drain->flight, file, drain->encoder, drain->begin_units, end_units,
			 seqno) == 0)
		put_gaps(drain, file, end_units, seqno, drain->flight.n_workers);
	free(seqno);
	return file->error;
}

/*
 * The file is made when there is something to write: empty processes leave none.  That of the
 * flight recorder is made at the end.
 */
static bool file_ready(struct drain *drain)
{
	if (!drain->ready) {
		drain->shift = choose_shift(drain->session);
		drain->begin_units = drain->session->begin.ticks >> drain->shift;
		drain->session->shift = drain->shift;
		drain->ready = true;
	}
	if (drain->flight.max_bytes || drain->file.fd >= 0)
		return true;
	return !drain->file.error && path_create(&drain->file, drain->session) == 0;
}

/* The session may be anybody's. */
uint64_t drain_keeps(const struct session *session)
{
	uint64_t most = session->options.max_bytes;

	if (!session->options.keep_last)
		return 0;
	return most < 4 * RESERVE_BYTES ? 2 * RESERVE_BYTES : most - 2 * RESERVE_BYTES;
}

/* Of one worker; the number is not trusted. */
static uint32_t hold_room(const struct session *session)
{
	uint32_t n = session->hold_slots;

	if (n == 0)
		return HOLD_ROOM_SHARED;
	return n >= HOLD_ROOM_SHARED && n < HOLD_ROOM ? n : HOLD_ROOM;
}

int drain_open(struct drain *drain, struct session *session, drain_worker *worker_at, void *arg)
{
	*drain = (struct drain){ .session = session,
				 .worker_at = worker_at,
				 .arg = arg,
				 .n_slots = session->ring_slots,
				 .spare.room = hold_room(session),
				 .file.fd = -1 };
	if (drain->n_slots == 0 || drain->n_slots & (drain->n_slots - 1) ||
	    session->clock > CLOCK_SOURCE_MONOTONIC)
		return -EPROTO;
	drain->flight.max_bytes = drain_keeps(session);
	drain->flight.why = WIRE_LOSS_OLD;
	drain->encoder = encoder_new();
	if (session->options.collapse_ns && !session->options.keep_last) /* tallies never forget */
		drain->collapse = collapse_new();
	if (session->options.collapse_ns && !session->options.keep_last && !drain->collapse)
		return -ENOMEM;
	return drain->encoder ? 0 : -ENOMEM;
}

/*
 * What is collapsed grows with the time since the beginning, so that a trace of one worker at
 * work grows with its logarithm, and no figure suffers.
 */
static void set_limits(struct drain *drain, struct clock_pair now)
{
	const struct session *session = drain->session;
	uint64_t ns = now.ns - session->begin.ns + 1;
	double ticks_a_ns = pairs_rate(&drain->pairs, session->begin, now);

	drain->limits.strand = (uint64_t)((double)session->options.collapse_ns * ticks_a_ns);
	drain->limits.task = (uint64_t)((double)ns * ticks_a_ns) / COLLAPSED_PARTS;
	if (drain->limits.task < drain->limits.strand)
		drain->limits.task = drain->limits.strand;
	drain->limits.least = LEAST_EVENTS;
	drain->limits.final_tasks = atomic_load_explicit(&session->has_final, memory_order_relaxed);
}

void drain_go_on(struct drain *drain)
{
	drain->shift = drain->session->shift & 31;
	drain->begin_units = drain->session->begin.ticks >> drain->shift;
	drain->ready = true;
}

int drain_resume(struct drain *drain, const char *path)
{
	int error = trace_file_resume(&drain->file, path);

	collapse_free(drain->collapse); /* what that one had tallied is not known */
	drain->collapse = NULL;
	drain_go_on(drain);
	drain->flight.max_bytes = 0; /* it has a trace already */
	return error;
}

/* Takes all that was there when it was called, in as many blocks as that makes. */
static bool take_all(struct drain *drain, struct worker *worker, uint32_t index)
{
	uint64_t to = taken_to(drain, worker, index), end = to + untaken(drain, worker, to);
	bool took = false;

	while (is_before(taken_to(drain, worker, index), end) && take(drain, worker, index, 1))
		took = true;
	return took;
}

/* Of each ring all; or, unless `all`, a block of those that are a quarter full. */
static bool take_rings(struct drain *drain, bool all)
{
	uint32_t n_workers = workers_of(drain);
	bool took = false;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);
		uint64_t n_least = all || !worker ? 1 : drain_slots(drain, worker) / 4;

		if (!worker || untaken(drain, worker, taken_to(drain, worker, i)) < n_least)
			continue;
		if (file_ready(drain) && !took)
			put_definitions(drain, NULL);
		took |= all ? take_all(drain, worker, i) : take(drain, worker, i, n_least);
	}
	return took;
}

static void put_all_held(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->n_streams; i++)
		if (drain->stream[i].hold.n && !drain->file.error)
			put_held(drain, drain->worker_at(drain->arg, i), i, &drain->stream[i]);
}

bool drain_round(struct drain *drain, enum drain_phase phase)
{
	struct clock_pair now = clock_pair(drain->session->clock);
	bool all = phase != DRAIN_RUNNING || now.ns - drain->flushed_ns >= DRAIN_FLUSH_NS ||
		   drain->file.n_blocks - drain->flushed_blocks >= FLUSH_BLOCKS;
	uint64_t n_blocks = drain->file.n_blocks;

	drain->last = phase == DRAIN_LAST;
	pairs_look(&drain->pairs, drain->session->clock, drain->session->begin, now);
	if (drain->collapse)
		set_limits(drain, now);
	bool took = take_rings(drain, all);

	if (gate_presses(drain->session) && drain->file.fd >= 0)
		put_definitions(drain, NULL);
	else if (gate_presses(drain->session))
		take_marks(drain, NULL);

	if (all) {
		drain->flushed_ns = now.ns;
		put_all_held(drain);
		took |= drain->file.n_blocks > n_blocks;
		if (took && phase == DRAIN_RUNNING)
			put_definitions(drain, &now);
		drain->flushed_blocks = drain->file.n_blocks;
	}
	return took;
}

void drain_say_failure(struct drain *drain, drain_say *say)
{
	if (!drain->file.error || drain->told)
		return;
	drain->told = true;
	say("tptrace: %s; %s", drain->file.err.text,
	    drain->file.fd < 0 ? "nothing is recorded; TPTRACE_OUTPUT or record -o puts it elsewhere"
			       : "what was recorded until now is kept");
}

void drain_settle(struct drain *drain, struct clock_pair end, enum drain_phase phase)
{
	closing_open(drain, end.ticks);
	drain_round(drain, phase);
}

void drain_end(struct drain *drain, struct clock_pair end, const char *how)
{
	struct ending ending = { how, end };

	if (drain->flight.n && !drain->file.error && path_create(&drain->file, drain->session) == 0)
		put_flight(drain, &drain->file, &end);
	if (drain->file.fd < 0)
		return;
	if (!drain->flight.max_bytes) {
		put_definitions(drain, NULL); /* these stay if the end is taken back */
		if (trace_file_mark(&drain->file) < 0)
			return;
		put_gaps(drain, &drain->file, end.ticks >> drain->shift, NULL, 0);
		put_definitions(drain, &end);
	}
	put_lines(drain, &drain->file, put_end, &ending);
	trace_file_finish(&drain->file);
}

/* Tasks that were recorded, hidden ones as well. */
static uint64_t count_tasks(const struct drain *drain)
{
	uint64_t n_tasks = drain->n_tasks;
	uint32_t n = 0;
	const struct collapse_tally *tally =
		drain->collapse ? collapse_tallies(drain->collapse, &n) : NULL;

	for (uint32_t i = 0; i < n; i++)
		n_tasks += tally[i].n_tasks;
	return n_tasks;
}

/* Events that did not go into a file of bounded size any more. */
static uint64_t count_past_end(struct drain *drain)
{
	uint32_t n_workers = workers_of(drain);
	uint64_t n_events = 0;

	for (uint32_t w = 0; w < n_workers; w++) {
		struct worker *worker = drain->worker_at(drain->arg, w);

		if (worker)
			n_events += worker->n_past + atomic_load(&worker->gap[WIRE_LOSS_SIZE].n);
	}
	return n_events;
}

void drain_say_end(struct drain *drain, const char *how, drain_say *say)
{
	const struct session *session = drain->session;
	const struct trace_file *file = &drain->file;
	uint32_t n_refused = atomic_load(&session->n_refused);
	uint32_t n_unnamed = atomic_load(&session->n_unnamed);
	unsigned long long lost = count_lost(drain), events = file->n_events;
	unsigned long long tasks = count_tasks(drain);

	if (n_refused)
		say("tptrace: %u threads were not recorded: no memory for their rings", n_refused);
	if (marks_lost(&drain->marks, session))
		say("tptrace: %llu phases and regions were lost: too many at once",
		    (unsigned long long)marks_lost(&drain->marks, session));
	if (n_unnamed)
		say("tptrace: %u places of the program have no name: no room for them", n_unnamed);
	if (file->fd < 0 || file->error || (session->facts.quiet && !lost && !drain->full))
		return;
	if (drain->full)
		say("tptrace: %s: %llu events; then it had its size, and %llu more are not in it",
		    file->path, events, (unsigned long long)count_past_end(drain));
	else if (drain->n_died)
		say("tptrace: %s: %llu events, and %llu lost, most when the collector was killed",
		    file->path, events, lost);
	else if (lost)
		say("tptrace: %s: %llu events, and %llu lost because a ring was full", file->path,
		    events, lost);
	else if (drain->inherited)
		say("tptrace: %s: %llu events, though the collector was killed; read it with "
		    "tptrace-report",
		    file->path, events);
	else if (how)
		say("tptrace: %s: %llu events of %llu tasks; the program ended: %s", file->path,
		    events, tasks, how);
	else
		say("tptrace: %s: %llu events of %llu tasks; read it with tptrace-report",
		    file->path, events, tasks);
}

static int write_snapshot(struct drain *drain, const char *path, const struct clock_pair *now,
			  struct err *err)
{
	struct trace_file file;
	int error;

	if (drain->flight.max_bytes) {
		error = trace_file_create(&file, path);
		if (!error)
			put_flight(drain, &file, now);
	} else {
		error = trace_file_copy(&file, &drain->file, path);
		if (!error)
			put_gaps(drain, &file, now->ticks >> drain->shift, NULL, 0);
	}
	if (!error)
		put_lines(drain, &file, put_snapshot, NULL);
	if (!error)
		error = trace_file_finish(&file);
	*err = file.err;
	trace_file_close(&file);
	return error;
}

int drain_snapshot(struct drain *drain, char *path, size_t room, struct err *err)
{
	struct clock_pair now = clock_pair(drain->session->clock);
	int error;

	take_rings(drain, true);
	put_all_held(drain);
	if (drain->file.error)
		return err_set(err, -drain->file.error, "%s", drain->file.err.text);
	if (drain->flight.max_bytes ? drain->flight.n == 0 : drain->file.fd < 0)
		return err_set(err, ENODATA, "nothing was recorded yet");
	put_definitions(drain, &now);
	do {
		drain->n_snapshots++;
		error = path_snapshot(path, room, drain->session, drain->n_snapshots, err);
		if (!error)
			error = write_snapshot(drain, path, &now, err);
	} while (error == -EEXIST && drain->n_snapshots < 1000);
	return error;
}

void drain_close(struct drain *drain)
{
	trace_file_close(&drain->file);
	encoder_free(drain->encoder);
	collapse_free(drain->collapse);
	for (uint32_t i = 0; i < drain->n_streams; i++)
		hold_free(&drain->stream[i].hold);
	free(drain->stream);
	hold_free_spare(&drain->spare);
	flight_free(&drain->flight);
	pairs_free(&drain->pairs);
	marks_free(&drain->marks);
	closing_free(&drain->closing);
	free(drain->before);
	defs_free(&drain->earlier);
	*drain = (struct drain){ .file.fd = -1 };
}
