/* SPDX-License-Identifier: MIT */
/* drain.c - takes a session's rings to its trace file: streams, blocks, definitions, rounds. */
#include "collector/drain.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/note.h"
#include "collector/path.h"
#include "preload/control.h"
#include "preload/worker.h"

#define FLUSH_BLOCKS 4u	    /* all rings are taken after so many blocks, too */
#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u
#define RESERVE_BYTES (32u << 10) /* of a file of bounded size, for definitions and its end */
#define RESERVE_WORKER_BYTES 256u /* and for what is missing of each worker */

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
 * The task whose strand runs behind the events from..to-1, which have been packed; `running` is
 * the one before them.  The id of a task that begins where it is made is the worker's last.
 */
static uint64_t running_after(const struct worker *worker, uint64_t from, uint64_t to,
			      uint64_t n_ids, uint64_t running)
{
	while (to-- > from) {
		const struct wire_event *event = &worker->slot[to & worker->mask];

		switch (event->a & 0xff) {
		case WIRE_ROOT:
		case WIRE_MEMBER:
		case WIRE_START:
			return (uint64_t)worker->index << WIRE_ID_WORKER_SHIFT | n_ids;
		case WIRE_BEGIN:
		case WIRE_RESUME:
			return event->b;
		case WIRE_CREATE:
		case WIRE_FORK:
		case WIRE_WAIT:
		case WIRE_YIELD:
		case WIRE_SIGNAL:
		case WIRE_END:
			return 0;
		default:
			continue;
		}
	}
	return running;
}

/*
 * Packs what a worker has, and what it adds meanwhile, up to a block: how many events.  Packing
 * is faster than recording, and slots are given back as it goes on, so that a worker at full
 * speed does not find its ring full.  The slow part, compression, comes after.
 */
static uint32_t pack(struct drain *drain, struct worker *worker, struct encode_source *source,
		     uint64_t *running, int *error)
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
		if (drain->flight.max_bytes)
			*running = running_after(worker, tail, tail + n, source->n_ids, *running);
		tail += n;
		n_packed += (uint32_t)n;
		release(worker, tail);
	}
	return n_packed;
}

/* Whether a file of bounded size has room for a block, and for its own end. */
static bool fits(const struct drain *drain, const struct wire_block *block)
{
	uint64_t max_bytes = drain->session->options.max_bytes;
	uint64_t index_bytes = (drain->file.n_blocks + 16) * sizeof(*block);
	uint64_t end_bytes = RESERVE_BYTES + drain->n_streams * RESERVE_WORKER_BYTES + index_bytes;

	return !max_bytes ||
	       drain->file.bytes + sizeof(*block) + block->body_bytes + end_bytes <= max_bytes;
}

/* Stores a block of the stream; false if it is not to be: the file has its size, or failed. */
static bool store(struct drain *drain, struct drain_stream *stream, struct wire_block *block,
		  const void *body)
{
	if (drain->flight.max_bytes) {
		int error = flight_put(&drain->flight, block, body, stream->last_units,
				       stream->running);

		if (error)
			trace_file_fail(&drain->file, -error, "cannot keep events");
		return error == 0;
	}
	if (fits(drain, block))
		return trace_file_put(&drain->file, block, body) == 0;
	drain->full = true;
	stream->n_past_end += block->n_events;
	control_shut(drain->session, WIRE_LOSS_SIZE);
	return false;
}

static void put_block(struct drain *drain, struct worker *worker, struct drain_stream *stream)
{
	struct wire_block block = { .worker = worker->index, .seqno = stream->seqno };
	struct encode_source source = { .slot = worker->slot,
					.mask = worker->mask,
					.shift = drain->shift,
					.last_units = stream->last_units,
					.n_ids = stream->n_ids };
	uint64_t running = stream->running;
	const void *body;
	int error = 0;

	encode_begin(drain->encoder, &source, worker->index);
	if (pack(drain, worker, &source, &running, &error) == 0)
		return;
	if (!error)
		error = encode_end(drain->encoder, &source, &block, &body);
	if (error) {
		trace_file_fail(&drain->file, -error, "cannot pack events");
		return;
	}
	if (!store(drain, stream, &block, body))
		return;
	stream->last_units = source.last_units;
	stream->n_ids = source.n_ids;
	stream->running = running;
	stream->seqno++;
	drain->n_tasks += source.n_tasks;
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
static bool take(struct drain *drain, struct worker *worker, uint64_t n_least)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t head = takeable(worker);
	struct drain_stream *stream = stream_of(drain, worker->index);

	if (head - tail < n_least)
		return false;
	if (stream && drain->full)
		stream->n_past_end += head - tail;
	if (!stream || drain->file.error || drain->full)
		release(worker, head);
	else
		put_block(drain, worker, stream);
	return true;
}

/* Marks that are new are kept or, if `out` is not NULL, written. */
static void take_marks(struct drain *drain, FILE *out)
{
	struct session_mark mark;

	if (drain->flight.max_bytes && !drain->mark)
		drain->mark = malloc(DRAIN_MARKS * sizeof(*drain->mark));
	while (control_next_mark(drain->session, &mark)) {
		if (drain->mark)
			drain->mark[drain->n_marks++ % DRAIN_MARKS] = mark;
		else if (out)
			describe_mark(&mark, drain->shift, out);
	}
}

static void put_kept_marks(const struct drain *drain, FILE *out)
{
	uint64_t n = drain->mark ? drain->n_marks : 0;

	for (uint64_t i = n > DRAIN_MARKS ? n - DRAIN_MARKS : 0; i < n; i++)
		describe_mark(&drain->mark[i % DRAIN_MARKS], drain->shift, out);
}

static void put_memory(struct drain *drain, FILE *out)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);

	if (n == drain->n_described)
		return;
	drain->n_described = n;
	fprintf(out, "meta rings %u\nmeta memory_bytes %llu\n", n,
		(unsigned long long)(n * drain->session->ring_slots * sizeof(struct wire_event) +
				     drain->flight.max_bytes));
}

/* A block of lines that `put` writes; context is its own. */
static void put_lines(struct drain *drain, struct trace_file *file,
		      void (*put)(struct drain *, FILE *, const void *), const void *context)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	put(drain, out, context);
	fclose(out);
	trace_file_put_defs(file, text, bytes);
	free(text);
}

static void put_new(struct drain *drain, FILE *out, const void *whole)
{
	uint64_t lost = describe_lost(drain->session);

	describe_new(&drain->described, drain->session, drain->shift, out);
	put_memory(drain, out);
	take_marks(drain, out);
	if (whole)
		describe_whole(*(const struct clock_pair *)whole, drain->shift, out);
	if (whole && lost)
		fprintf(out, "meta lost_events %llu\n", (unsigned long long)lost);
}

/* All that is known, into a file that has nothing yet: what the flight recorder leaves. */
static void put_all(struct drain *drain, FILE *out, const void *whole)
{
	struct describe again = { 0 };

	describe_new(&again, drain->session, drain->shift, out);
	drain->n_described = 0;
	put_memory(drain, out);
	take_marks(drain, NULL);
	put_kept_marks(drain, out);
	describe_whole(*(const struct clock_pair *)whole, drain->shift, out);
}

static void put_end(struct drain *drain, FILE *out, const void *how)
{
	fprintf(out, "meta lost_events %llu\nmeta ended %s\n",
		(unsigned long long)describe_lost(drain->session), (const char *)how);
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
	struct worker *worker = atomic_load(&drain->session->worker[w]);
	struct drain_stream *stream = stream_of(drain, w);
	struct note_gap gap[WIRE_LOSS_OLD];

	if (!worker || !stream)
		return;
	struct note_place place = { .worker = w,
				    .seqno = seqno == UINT32_MAX ? stream->seqno : seqno,
				    .units = stream->last_units,
				    .n_ids = stream->n_ids };

	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++) {
		uint64_t since = atomic_load(&worker->gap[why].since) >> drain->shift;

		gap[why] = (struct note_gap){ .n = atomic_load(&worker->gap[why].n),
					      .since = since,
					      .until = end_units,
					      .why = (enum wire_loss)why };
		if (why == WIRE_LOSS_SIZE && stream->n_past_end) {
			gap[why].n += stream->n_past_end;
			gap[why].since = stream->last_units;
		}
		if (gap[why].since < stream->last_units)
			gap[why].since = stream->last_units;
		if (gap[why].until < gap[why].since)
			gap[why].until = gap[why].since;
	}
	note_put(file, drain->encoder, &place, gap, WIRE_LOSS_OLD);
}

/* The same of all workers.  seqno: of each one's next block, n of them; NULL: the stream's own. */
static void put_gaps(struct drain *drain, struct trace_file *file, uint64_t end_units,
		     const uint32_t *seqno, uint32_t n)
{
	uint32_t n_workers = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);

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
		drain->ready = true;
	}
	if (drain->flight.max_bytes || drain->file.fd >= 0)
		return true;
	return !drain->file.error && path_create(&drain->file, drain->session->pid) == 0;
}

int drain_open(struct drain *drain, struct session *session)
{
	*drain = (struct drain){ .session = session, .file.fd = -1 };
	if (session->options.keep_last)
		drain->flight.max_bytes = session->options.max_bytes - 2 * RESERVE_BYTES;
	drain->flushed_ns = clock_monotonic_ns();
	drain->encoder = encoder_new();
	return drain->encoder ? 0 : -ENOMEM;
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
	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = atomic_load(&session->worker[i]);
		uint64_t n_least = all ? 1 : (worker->mask + 1) / 4;

		if (takeable(worker) - atomic_load(&worker->tail) < n_least)
			continue;
		if (file_ready(drain) && !took)
			put_definitions(drain, NULL);
		took |= take(drain, worker, n_least);
	}
	if (all) {
		drain->flushed_ns = now.ns;
		if (took && !last)
			put_definitions(drain, &now);
		drain->flushed_blocks = drain->file.n_blocks;
	}
	return took;
}

uint64_t drain_past_end(const struct drain *drain)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);
	uint64_t n_events = 0;

	for (uint32_t w = 0; w < drain->n_streams; w++)
		n_events += drain->stream[w].n_past_end;
	for (uint32_t w = 0; w < n; w++)
		n_events += atomic_load(
			&atomic_load(&drain->session->worker[w])->gap[WIRE_LOSS_SIZE].n);
	return n_events;
}

bool drain_failed(struct drain *drain)
{
	bool news = drain->file.error && !drain->told;

	drain->told |= news;
	return news;
}

void drain_end(struct drain *drain, struct clock_pair end, const char *how)
{
	if (drain->flight.n && !drain->file.error &&
	    path_create(&drain->file, drain->session->pid) == 0)
		put_flight(drain, &drain->file, &end);
	if (drain->file.fd < 0)
		return;
	if (!drain->flight.max_bytes) {
		put_gaps(drain, &drain->file, end.ticks >> drain->shift, NULL, 0);
		put_definitions(drain, &end);
	}
	put_lines(drain, &drain->file, put_end, how);
	trace_file_finish(&drain->file);
}

/* Takes all that was in the rings when it was called, as far as it may be taken. */
static void take_all(struct drain *drain)
{
	uint32_t n = atomic_load_explicit(&drain->session->n_workers, memory_order_acquire);
	uint64_t most = 1;

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = atomic_load(&drain->session->worker[i]);
		uint64_t rounds =
			(takeable(worker) - atomic_load(&worker->tail)) / BLOCK_EVENTS + 2;

		most = rounds > most ? rounds : most;
	}
	while (most-- && drain_round(drain, true))
		;
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

	take_all(drain);
	if (drain->file.error)
		return err_set(err, -drain->file.error, "%s", drain->file.err.text);
	if (drain->flight.max_bytes ? drain->flight.n == 0 : drain->file.fd < 0)
		return err_set(err, ENODATA, "nothing was recorded yet");
	put_definitions(drain, &now);
	do {
		drain->n_snapshots++;
		error = path_snapshot(path, room, drain->session->pid, drain->n_snapshots, err);
		if (!error)
			error = write_snapshot(drain, path, &now, err);
	} while (error == -EEXIST && drain->n_snapshots < 1000);
	return error;
}

void drain_close(struct drain *drain)
{
	trace_file_close(&drain->file);
	encoder_free(drain->encoder);
	flight_free(&drain->flight);
	free(drain->mark);
	free(drain->stream);
	*drain = (struct drain){ .file.fd = -1 };
}
