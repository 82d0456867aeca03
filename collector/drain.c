/* SPDX-License-Identifier: MIT */
/* drain.c - takes a session's rings to its trace file: streams, blocks, definitions, rounds. */
#include "collector/drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/path.h"
#include "preload/worker.h"

#define FLUSH_BLOCKS 4u	    /* all rings are taken after so many blocks, too */
#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u
#define COLLAPSED_PARTS 256u /* no task is collapsed that takes more of the time so far */
#define LEAST_EVENTS 96u /* fewer are not worth it; more than WIRE_HIDDEN_FIELDS */

/* Ticks are shifted to units as near to 1 ns as a power of two gets them, but not above. */
static uint32_t choose_shift(struct session *session)
{
	struct clock_pair now = clock_pair(session->clock);
	uint64_t ns = now.ns - session->begin.ns;
	uint64_t ticks = now.ticks - session->begin.ticks;
	uint32_t shift = 0;

	while (ns && ticks >> (shift + 1) >= ns)
		shift++;
	return shift;
}

static struct drain_stream *stream_of(struct drain *drain, uint32_t worker)
{
	if (worker >= drain->n_streams) {
		uint32_t n = (worker + 64) & ~63u;
		struct drain_stream *stream = realloc(drain->stream, n * sizeof(*stream));

		if (!stream)
			return NULL;
		drain->stream = stream;
		while (drain->n_streams < n)
			stream[drain->n_streams++] =
				(struct drain_stream){ .last_units = drain->begin_units };
	}
	return &drain->stream[worker];
}

/* What may be taken: all events before this one, if the tail is not there yet. */
static uint64_t takeable(struct worker *worker)
{
	return atomic_load_explicit(&worker->head, memory_order_acquire);
}

/* Gives the slots up to `tail` back to the worker, who may be waiting for them. */
static void release(struct worker *worker, uint64_t tail)
{
	atomic_store_explicit(&worker->tail, tail, memory_order_release);
	atomic_fetch_add(&worker->tail_moves, 1);
	if (atomic_load(&worker->waiting))
		futex_wake(&worker->tail_moves);
}

/*
 * Packs what a worker has, and what it adds meanwhile, up to a block: how many events.  Packing
 * is faster than recording, and slots are given back as it goes on, so that a worker at full
 * speed does not find its ring full.  The slow part, compression, comes after.
 */
static uint32_t pack(struct drain *drain, struct worker *worker, struct encode_source *source,
		     int *error)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint32_t n_packed = 0;

	while (n_packed < BLOCK_EVENTS && !*error) {
		uint64_t head = takeable(worker);
		uint64_t n = head - tail < STEP_EVENTS ? head - tail : STEP_EVENTS;

		if (n == 0 || (n_packed && n < STEP_EVENTS / 4))
			break;
		source->first = tail;
		source->n = (uint32_t)n;
		*error = encode_add(drain->encoder, source);
		tail += n;
		n_packed += (uint32_t)n;
		release(worker, tail);
	}
	return n_packed;
}

static struct encode_source source_of(const struct drain *drain, const struct drain_stream *stream)
{
	return (struct encode_source){ .shift = drain->shift,
				       .last_units = stream->last_units,
				       .n_ids = stream->n_ids };
}

/* Writes what was packed since encode_begin(). */
static void put_packed(struct drain *drain, uint32_t worker, struct drain_stream *stream,
		       struct encode_source *source, int error)
{
	struct wire_block block = { .worker = worker, .seqno = stream->seqno };
	const void *body;

	if (!error)
		error = encode_end(drain->encoder, source, &block, &body);
	if (error) {
		trace_file_fail(&drain->file, -error, "cannot pack events");
		return;
	}
	stream->last_units = source->last_units;
	stream->n_ids = source->n_ids;
	stream->seqno++;
	drain->n_tasks += source->n_tasks;
	trace_file_put(&drain->file, &block, body);
}

static void put_block(struct drain *drain, struct worker *worker, struct drain_stream *stream)
{
	struct encode_source source = source_of(drain, stream);
	int error = 0;

	source.slot = worker->slot;
	source.mask = worker->mask;
	encode_begin(drain->encoder, &source, worker->index);
	if (pack(drain, worker, &source, &error))
		put_packed(drain, worker->index, stream, &source, error);
}

/* Writes all that is held of a worker. */
static void put_held(struct drain *drain, uint32_t worker, struct drain_stream *stream)
{
	struct encode_source source = source_of(drain, stream);
	struct hold *hold = &stream->hold;

	hold_collapse(hold, drain->collapse, &drain->limits, worker);
	if (hold->n == 0)
		return;
	source.slot = hold->event;
	source.mask = UINT64_MAX;
	source.n = hold->n;
	encode_begin(drain->encoder, &source, worker);
	put_packed(drain, worker, stream, &source, encode_add(drain->encoder, &source));
	hold_clear(hold);
}

/* Makes room for a slice: by collapsing what is held, or else by writing it. */
static void make_room(struct drain *drain, uint32_t worker, struct drain_stream *stream)
{
	if (hold_has_room(&stream->hold, STEP_EVENTS))
		return;
	hold_collapse(&stream->hold, drain->collapse, &drain->limits, worker);
	if (!hold_has_room(&stream->hold, HOLD_ROOM / 2))
		put_held(drain, worker, stream);
}

/* As put_block(), but what is taken is held. */
static void hold_some(struct drain *drain, struct worker *worker, struct drain_stream *stream)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t n_held = 0, n = STEP_EVENTS;

	while (n_held < BLOCK_EVENTS && n == STEP_EVENTS) {
		struct collapse_source source = { .slot = worker->slot,
						  .mask = worker->mask,
						  .first = tail,
						  .worker = worker->index };

		n = takeable(worker) - tail;
		if (n > STEP_EVENTS)
			n = STEP_EVENTS;
		if (n == 0)
			return;
		make_room(drain, worker->index, stream);
		source.n = (uint32_t)n;
		if (hold_add(&stream->hold, drain->collapse, &drain->limits, &source) < 0)
			trace_file_fail(&drain->file, ENOMEM, "cannot hold events");
		tail += n;
		n_held += n;
		release(worker, tail);
	}
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
static bool take(struct drain *drain, struct worker *worker, uint64_t n_least)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t head = takeable(worker);
	struct drain_stream *stream = stream_of(drain, worker->index);

	if (head - tail < n_least)
		return false;
	if (!stream || drain->file.error)
		release(worker, head);
	else if (drain->collapse)
		hold_some(drain, worker, stream);
	else
		put_block(drain, worker, stream);
	return true;
}

/* What is new of the program; and, unless NULL, that all up to that instant is in the file. */
static void put_definitions(struct drain *drain, const struct clock_pair *whole, const char *how)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	describe_new(&drain->described, drain->session, drain->shift, out);
	if (whole && drain->collapse)
		describe_hidden(drain->collapse, drain->shift, out);
	if (whole)
		describe_whole(*whole, drain->shift, out);
	if (how)
		fprintf(out, "meta lost_events %llu\nmeta ended %s\n",
			(unsigned long long)describe_lost(drain->session), how);
	fclose(out);
	trace_file_put_defs(&drain->file, text, bytes);
	free(text);
}

/* The file is made when there is something to write: empty processes leave none. */
static bool file_ready(struct drain *drain)
{
	if (drain->file.fd >= 0)
		return true;
	if (drain->file.error || path_create(&drain->file, drain->session->pid) < 0)
		return false;
	drain->shift = choose_shift(drain->session);
	drain->begin_units = drain->session->begin.ticks >> drain->shift;
	return true;
}

int drain_open(struct drain *drain, struct session *session)
{
	*drain = (struct drain){ .session = session, .file.fd = -1 };
	drain->flushed_ns = clock_monotonic_ns();
	drain->encoder = encoder_new();
	if (session->collapse_ns)
		drain->collapse = collapse_new();
	return drain->encoder && (drain->collapse || !session->collapse_ns) ? 0 : -ENOMEM;
}

/*
 * What is collapsed grows with the time since the beginning, so that a trace of one worker at
 * work grows with its logarithm, and no figure suffers.
 */
static void set_limits(struct drain *drain, struct clock_pair now)
{
	const struct session *session = drain->session;
	uint64_t ns = now.ns - session->begin.ns + 1, ticks = now.ticks - session->begin.ticks + 1;
	double ticks_a_ns = (double)ticks / (double)ns;

	drain->limits.strand = (uint64_t)((double)session->collapse_ns * ticks_a_ns);
	drain->limits.task = ticks / COLLAPSED_PARTS;
	if (drain->limits.task < drain->limits.strand)
		drain->limits.task = drain->limits.strand;
	drain->limits.least = LEAST_EVENTS;
	drain->limits.final_tasks = atomic_load_explicit(&session->has_final, memory_order_relaxed);
}

/* Writes what is held of all workers. */
static void put_all_held(struct drain *drain)
{
	for (uint32_t i = 0; i < drain->n_streams; i++)
		if (drain->stream[i].hold.n && !drain->file.error)
			put_held(drain, i, &drain->stream[i]);
}

bool drain_round(struct drain *drain, bool all)
{
	struct session *session = drain->session;
	uint32_t n_workers = atomic_load_explicit(&session->n_workers, memory_order_acquire);
	struct clock_pair now = clock_pair(session->clock);
	bool took = false;
	bool last = all;

	all |= now.ns - drain->flushed_ns >= DRAIN_FLUSH_NS ||
	       drain->file.n_blocks - drain->flushed_blocks >= FLUSH_BLOCKS;
	if (drain->collapse)
		set_limits(drain, now);
	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = atomic_load(&session->worker[i]);
		uint64_t n_least = all ? 1 : (worker->mask + 1) / 4;

		if (takeable(worker) - atomic_load(&worker->tail) < n_least)
			continue;
		if (file_ready(drain) && !took)
			put_definitions(drain, NULL, NULL);
		took |= take(drain, worker, n_least);
	}
	if (all) {
		drain->flushed_ns = now.ns;
		put_all_held(drain);
		if ((took || drain->file.n_blocks != drain->flushed_blocks) && !last)
			put_definitions(drain, &now, NULL);
		drain->flushed_blocks = drain->file.n_blocks;
	}
	return took;
}

uint64_t drain_tasks(const struct drain *drain)
{
	uint64_t n_tasks = drain->n_tasks;
	uint32_t n = 0;
	const struct collapse_tally *tally =
		drain->collapse ? collapse_tallies(drain->collapse, &n) : NULL;

	for (uint32_t i = 0; i < n; i++)
		n_tasks += tally[i].n_tasks;
	return n_tasks;
}

bool drain_failed(struct drain *drain)
{
	bool news = drain->file.error && !drain->told;

	drain->told |= news;
	return news;
}

void drain_end(struct drain *drain, struct clock_pair end, const char *how)
{
	if (drain->file.fd < 0)
		return;
	put_definitions(drain, &end, how);
	trace_file_finish(&drain->file);
}

void drain_close(struct drain *drain)
{
	trace_file_close(&drain->file);
	encoder_free(drain->encoder);
	collapse_free(drain->collapse);
	for (uint32_t i = 0; i < drain->n_streams; i++)
		hold_free(&drain->stream[i].hold);
	free(drain->stream);
	*drain = (struct drain){ .file.fd = -1 };
}
