/* SPDX-License-Identifier: MIT */
/*
 * recover.c - drains a ring file into the trace that it belongs to.
 *
 * A process was killed when its trace had two blocks of worker 0, up to event 800, and a torn
 * third; its ring file has the chunks of 512..1535 and 1536..1700:
 *
 *	ring_trace()	the file that session->trace names, if it is still that one
 *	successor.h	the same as behind any collector that died: { number 800, n_blocks 2 }
 *	cut_unsound()	the event of number 1690 has a time to come: the copy ends before it
 *	drain_rings()	the same drain as ever: takes 800..1689, and writes the end, "recovered"
 *	remove_ring()	only once all of that is in the file
 */
#include "collector/outside/recover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/drain/path.h"
#include "collector/drain/successor.h"
#include "collector/outside/ringfile.h"
#include "collector/outside/ring_trace.h"
#include "collector/session/shared.h"

#define APART_BYTES (UINT64_MAX / 2) /* of a trace's blocks: nothing is thrown away */

/* Whether it is an event: of a kind that there is, and not of the future.  An event has the low 56
 * bits of the clock. */
static bool is_sound(const struct ring *ring, const struct wire_event *event)
{
	const struct session *session = ring->session;
	const uint64_t mask = (UINT64_C(1) << 56) - 1;
	uint64_t now = session->process.virtual
			       ? mask
			       : clock_ticks_by(&session->clock) - session->begin.ticks;
	unsigned kind = event_kind(event);

	return kind_known(kind) &&
	       !(kind_timed(kind) && ((event_ticks(event) - session->begin.ticks) & mask) > now);
}

/* Ends the worker's copy before its first event from `from` on that is none. */
static void cut_unsound(const struct ring *ring, struct worker *worker, uint64_t from)
{
	const struct chunk_sizes *sizes = &ring->session->chunks;
	struct chunk_events events;
	uint64_t head = from;

	for (uint32_t k = 0; k < sizes->n && chunk_find(worker, sizes, head, &events); k++) {
		uint32_t n = 0;

		while (n < events.n && is_sound(ring, &events.slot[n]))
			n++;
		if (n < events.n_whole) /* they stand for more together */
			break;
		head = events.number + n - events.n_whole;
		if (n < events.n)
			break;
	}
	for (uint32_t i = 0; i < sizes->n; i++) {
		struct chunk *chunk = chunk_at(worker, i);
		enum chunk_state state = chunk_state_of(chunk_word(chunk));

		if (state == CHUNK_FILLING ||
		    (state == CHUNK_FULL && chunk_before(head, chunk_end(chunk)))) {
			atomic_store(&chunk->word, CHUNK_FULL | CHUNK_PINNED);
			atomic_store(&chunk->end, head);
		}
	}
	atomic_store(&worker->head, head);
}

/* Whether all events from `from` on are there. */
static bool reaches_head(const struct ring *ring, struct worker *worker, uint64_t from)
{
	struct chunk_events events;

	while (from != atomic_load(&worker->head) &&
	       chunk_find(worker, &ring->session->chunks, from, &events))
		from = events.number + events.n - events.n_whole;
	return from == atomic_load(&worker->head);
}

/* Whether a worker's copy can be one of which trace and flight recorder have so much. */
static bool worker_sound(const struct ring *ring, struct worker *worker,
			 const struct checkpoint *at)
{
	return atomic_load(&worker->n_chunks) &&
	       (!at->n_blocks || worker->written[at->n_blocks & 1].n_blocks == at->n_blocks) &&
	       at->last_units <= clock_ticks_by(&ring->session->clock) >> ring->session->shift &&
	       at->n_ids == id_n(at->n_ids) && reaches_head(ring, worker, at->number);
}

/* Reads a worker; NULL if it makes no sense, or was never in the file (*elsewhere): where that had
 * no room, a worker's memory is the process's own. */
static struct worker *read_worker(const struct ring *ring, const struct drain *drain,
				  uint32_t index, bool *elsewhere)
{
	size_t bytes = worker_place(&ring->session->chunks);
	uint64_t at = ring->session->head_bytes + index * ring->session->stride;
	struct worker *worker = aligned_alloc(64, shared_pages(bytes));
	struct checkpoint reached;

	if (!worker || !ring_copy(ring, worker, bytes, at))
		goto bad;
	*elsewhere = atomic_load(&worker->n_chunks) == 0 && atomic_load(&worker->head) == 0;
	reached = successor_written(drain, worker, index);
	if (!worker_sound(ring, worker, &reached))
		goto bad;
	cut_unsound(ring, worker, reached.number);
	atomic_store(&worker->waiting, 0);
	return worker;
bad:
	free(worker);
	return NULL;
}

static void read_workers(struct ring *ring, struct drain *drain, struct recovered *out)
{
	for (uint32_t i = 0; i < ring->n_workers; i++) {
		bool elsewhere = false;
		struct worker *worker = read_worker(ring, drain, i, &elsewhere);

		ring->worker[i] = worker;
		out->n_elsewhere += !worker && elsewhere;
		out->n_bad += !worker && !elsewhere;
	}
	successor_workers(drain);
	for (uint32_t i = 0; drain->flight.why == WIRE_LOSS_DIED && i < drain->flight.n_workers;
	     i++)
		out->n_lost += drain->flight.count[i].thrown;
	if (out->n_bad)
		snprintf(out->why_kept, sizeof(out->why_kept),
			 "what was in memory does not continue the trace, and is lost "
			 "(workers: %u of %u)",
			 out->n_bad, ring->n_workers);
}

/* ---- of a flight recorder: no file has any block ---- */

/* Events that were only in memory are missing, and the trace says so. */
static void begin_apart(struct ring *ring, struct drain *drain, struct recovered *out)
{
	struct session *session = ring->session;
	bool has_log = session->flight_at;
	bool loaded = has_log && ring_read_log(ring) &&
		      flight_load(&drain->flight, ring->log, session->flight_bytes);

	drain->as_is = true;
	drain->flight.max_bytes = APART_BYTES;
	drain->flight.why = loaded ? WIRE_LOSS_OLD : WIRE_LOSS_DIED;
	if (has_log && !loaded)
		snprintf(out->why_kept, sizeof(out->why_kept),
			 "the events of the flight recorder are invalid");
}

/* The latest time that a block has, in the trace or in what the flight recorder kept. */
static uint64_t last_ticks_of_blocks(const struct drain *drain)
{
	uint64_t last_units = 0;

	for (uint64_t i = 0; i < drain->file.n_blocks; i++)
		if (drain->file.index[i].type == WIRE_EVENTS &&
		    drain->file.index[i].last_units > last_units)
			last_units = drain->file.index[i].last_units;
	for (uint64_t i = 0; i < drain->flight.n; i++)
		if (flight_at(&drain->flight, i)->block.last_units > last_units)
			last_units = flight_at(&drain->flight, i)->block.last_units;
	return last_units << drain->shift;
}

/* The moment behind all events, which are in blocks by now, on both clocks; this one, if there are
 * none. */
static struct clock_pair last_moment(const struct ring *ring, const struct drain *drain)
{
	const struct clock_pair begin = ring->session->begin;
	struct clock_pair now = clock_pair(&ring->session->clock), last = begin;
	uint64_t of_blocks = last_ticks_of_blocks(drain);

	if (now.ns <= begin.ns || of_blocks <= begin.ticks)
		return now;
	last.ticks = of_blocks + (UINT64_C(1) << drain->shift);
	if (last.ticks >= now.ticks)
		return now;
	last.ns += (uint64_t)((unsigned __int128)(last.ticks - begin.ticks) * (now.ns - begin.ns) /
			      (now.ticks - begin.ticks));
	return last;
}

/* Ends the trace with the events of the ring file; an error leaves it as it was. */
static int drain_rings(struct ring *ring, struct drain *drain, struct recovered *out,
		       struct err *err)
{
	uint64_t bytes = drain->file.bytes, n_before = drain->file.n_events;

	if (ring->is_apart)
		begin_apart(ring, drain, out);
	if (drain->as_is)
		drain_go_on(drain);
	else
		drain_begin(drain);
	read_workers(ring, drain, out);
	drain->n_unread = out->n_bad + out->n_elsewhere;
	if (drain->file.fd < 0 && !out->is_elsewhere)
		out->is_elsewhere = !ring_trace_fits(ring->session);
	if (out->is_elsewhere)
		ring_trace_here(ring->session);
	while (drain_round(drain, DRAIN_LAST))
		;
	drain_end(drain, last_moment(ring, drain), "recovered");
	if (bytes == 0 && !drain->file.error && drain->file.fd >= 0)
		path_finish(&drain->file, ring->session);
	out->n_in_all = drain->file.n_events;
	out->n_events = out->n_in_all - n_before;
	if (drain->file.path)
		snprintf(out->trace, sizeof(out->trace), "%s", drain->file.path);
	if (!drain->file.error)
		return 0;
	*err = drain->file.err;
	out->is_refused = bytes == 0;
	if (bytes == 0 && drain->file.fd >= 0 && drain->file.path)
		unlink(drain->file.path); /* it was made here */
	else if (drain->file.fd >= 0 && ftruncate(drain->file.fd, (off_t)bytes) < 0)
		errno = 0; /* the reader does with a trace that has no end */
	return err->code;
}

static void remove_ring(const struct ring *ring, struct recovered *out)
{
	int error = ring_remove(ring);

	if (error)
		snprintf(out->why_kept, sizeof(out->why_kept), "%s cannot be removed: %s",
			 ring->path, strerror(-error));
}

static int recover_once(const char *path, const char *trace, struct recovered *out, struct err *err)
{
	struct ring ring = { .fd = -1 };
	struct drain drain = { .file.fd = -1 };
	int error = ring_open(&ring, path, RING_TAKE, err);

	if (!error)
		error = ring_read(&ring, err);
	if (error || ring.is_empty)
		goto out;
	error = drain_open(&drain, ring.session, ring_worker, &ring);
	if (error)
		err_set(err, ENOMEM, "%s: out of memory", path);
	if (!error)
		error = ring_trace(&ring, &trace, err);
	if (!error && (error = successor_trace(&drain, trace)) < 0)
		*err = drain.file.err;
	drain.part = strrchr(ring.path, '/') + 1;
	drain.as_is = trace; /* it has its blocks as they are */
	drain.file.flags = WIRE_BLOCK_RECOVERED;
	if (!error)
		error = drain_rings(&ring, &drain, out, err);
out:
	if (!error && !out->why_kept[0])
		remove_ring(&ring, out);
	if (error == -EALREADY && ring.is_done && ring_remove(&ring) == 0)
		err_set(err, EALREADY, "%s: is whole: nothing to recover; %s is removed", trace,
			ring.path);
	drain_close(&drain);
	ring_close(&ring);
	return error;
}

/* A new trace that cannot be written where it belongs is made in the working directory. */
int recover(const char *path, const char *trace, struct recovered *out, struct err *err)
{
	struct err there, here;
	int error;

	*out = (struct recovered){ 0 };
	error = recover_once(path, trace, out, err);
	if (!error || !out->is_refused || out->is_elsewhere)
		return error;
	there = *err;
	*out = (struct recovered){ .is_elsewhere = true };
	error = recover_once(path, trace, out, &here);
	if (error)
		err_set(err, -error, "%.180s; in the working directory: %.180s", there.text,
			here.text);
	return error;
}

int recover_inspect(const char *path, struct recover_content *out, struct err *err)
{
	struct ring ring = { .fd = -1 };
	int error = ring_open(&ring, path, RING_LOOK, err);

	*out = (struct recover_content){ 0 };
	if (!error)
		error = ring_read(&ring, err);
	if (!error && ring.is_empty)
		out->is_empty = true;
	else if (!error) {
		snprintf(out->program, sizeof(out->program), "%s",
			 session_said(ring.session, ring.session->process.program));
		for (char *at = out->program; *at; at++)
			if ((unsigned char)*at < ' ' || *at == 0x7f)
				*at = '?';
		snprintf(out->trace, sizeof(out->trace), "%s", ring.session->trace);
		out->pid = ring.session->pid;
		out->is_here = ring_trace_is_here(ring.session);
	}
	ring_close(&ring);
	return error;
}

static int add_left(const char *path, void *arg)
{
	struct recover_left *left = arg;
	struct recover_content content;
	struct err err;

	if (!ring_is_left(path) || recover_inspect(path, &content, &err) < 0)
		return 0;
	if (content.is_here ? !left->n_here : !left->n)
		left->example = content;
	left->n++;
	left->n_here += content.is_here;
	return 0;
}

struct recover_left recover_left(void)
{
	struct recover_left left = { 0 };

	ring_each(add_left, &left);
	return left;
}
