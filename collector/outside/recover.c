/* SPDX-License-Identifier: MIT */
/* recover.c - drains a ring file into the trace that it belongs to. */
#include "collector/outside/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/drain/drain.h"
#include "collector/outside/destination.h"
#include "collector/trace/reader.h"
#include "collector/outside/ringfile.h"
#include "collector/outside/ring_trace.h"
#include "collector/session/handed.h"
#include "collector/session/shared.h"

#define APART_BYTES (UINT64_MAX / 2) /* of a trace's blocks: nothing is thrown away */

/* The trace that it belongs to; one that was not begun yet has none. */
static int check_trace(const struct ring *ring, const struct trace_file *file, struct err *err)
{
	const struct session *session = ring->session;

	if (file->device == session->trace_device && file->inode == session->trace_inode)
		return 0;
	return err_set(err, EPROTO, "%s: %s belongs to another trace, or this is a copy",
		       file->path, ring->path);
}

static uint32_t blocks_of(const struct trace_file *file, uint32_t worker)
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < file->n_blocks; i++)
		n += file->index[i].type == WIRE_EVENTS && file->index[i].worker == worker;
	return n;
}

/*
 * How many events, from the oldest on, are some: of a kind that there is, and not of the future. An
 * event has the low 56 bits of the clock.
 */
static uint64_t count_sound(const struct ring *ring, struct worker *worker, uint64_t from,
			    uint64_t head)
{
	const struct session *session = ring->session;
	const struct wire_event *slot = worker_slots(worker);
	const uint64_t mask = (UINT64_C(1) << 56) - 1, slots = worker->mask;
	uint64_t now = session->process.virtual
			       ? mask
			       : clock_ticks_by(&session->clock) - session->begin.ticks;
	uint64_t at = from;

	for (; at < head; at++) {
		unsigned kind = event_kind(&slot[at & slots]);
		uint64_t since = (event_ticks(&slot[at & slots]) - session->begin.ticks) & mask;

		if (!kind_known(kind) || (kind_timed(kind) && since > now))
			break;
	}
	return at - from;
}

/*
 * How many blocks of a worker were whole: those of the trace, or of what the flight recorder kept.
 * There the newest may be thrown away by now; then its slots had been given back.
 */
static uint32_t blocks_whole(const struct ring *ring, const struct drain *drain,
			     const struct worker *worker, uint32_t index)
{
	bool newer = worker->taken[1].n_blocks > worker->taken[0].n_blocks;
	const struct worker_taken *last = &worker->taken[newer];
	uint64_t tail = atomic_load(&worker->tail);

	if (!ring->is_apart)
		return blocks_of(&drain->file, index);
	if (last->n_blocks == 0 || (int64_t)(tail - last->slots) >= 0 ||
	    flight_blocks_of(&drain->flight, index) == last->n_blocks)
		return last->n_blocks;
	return last->n_blocks - 1;
}

/* The number of events that its ring got. */
static uint64_t given(const struct worker *worker, const struct worker_taken *taken)
{
	return worker->thins ? handed_given(worker_handed(worker), taken->slots)
			     : atomic_load(&worker->head);
}

/* Whether a worker's copy can be one of which so many blocks are written. */
static bool worker_sound(const struct ring *ring, const struct worker *worker,
			 const struct worker_taken *taken, uint32_t n_blocks)
{
	uint64_t mask = worker->ring_mask;

	return mask >= RING_SLOTS_MIN - 1 && mask < ring->session->ring_slots &&
	       (mask & (mask + 1)) == 0 && taken->n_blocks == n_blocks &&
	       taken->last_units <= clock_ticks_by(&ring->session->clock) >> ring->session->shift &&
	       given(worker, taken) - taken->slots <= mask + 1 &&
	       taken->n_ids == id_n(taken->n_ids);
}

/* Slots of a ring that has room for all of a ring of n_most and for what is fresh besides. */
static uint64_t joined_slots(uint64_t n_most)
{
	return 2 * (n_most < FRESH_SLOTS ? FRESH_SLOTS : n_most);
}

/*
 * Puts the worker's events that no block has, those of its ring and then those that it had not
 * handed over, into one ring, by way of `to`, which has as many slots.
 */
static void join(struct worker *worker, struct wire_event *to, const struct worker_taken *taken,
		 uint64_t n_most)
{
	const struct wire_event *slot = worker_slots(worker), *fresh = worker_fresh(worker, n_most);
	uint64_t head = atomic_load(&worker->head), end = given(worker, taken),
		 mask = joined_slots(n_most) - 1;
	uint64_t base = handed_base(worker_handed(worker), head);

	for (uint64_t at = taken->slots; at != end; at++)
		to[at & mask] = slot[at & worker->ring_mask];
	if (worker->thins && head - base <= FRESH_SLOTS)
		for (; base != head; base++)
			to[end++ & mask] = fresh[base & (FRESH_SLOTS - 1)];
	for (uint64_t at = taken->slots; at != end; at++)
		worker_slots(worker)[at & mask] = to[at & mask];
	worker->thins = 0;
	worker->mask = worker->ring_mask = mask;
	atomic_store(&worker->head, end);
}

/*
 * Reads a worker, with `room` for joined_slots() of it; NULL if it makes no sense, or was never in
 * the file (*elsewhere): where that had no room, a ring is the process's own.
 */
static struct worker *read_worker(const struct ring *ring, const struct drain *drain,
				  uint32_t index, struct wire_event *room, bool *elsewhere)
{
	uint64_t n_slots = ring->session->ring_slots;
	uint64_t at = ring->session->head_bytes + index * ring->session->stride;
	struct worker *worker =
		aligned_alloc(64, shared_pages(worker_bytes(joined_slots(n_slots))));
	struct worker_taken taken = { 0 };
	uint32_t n_blocks;
	uint64_t n;

	if (!worker || !ring_copy(ring, worker, worker_place(n_slots), at))
		goto bad;
	n_blocks = blocks_whole(ring, drain, worker, index);
	*elsewhere = worker->ring_mask == 0 && atomic_load(&worker->head) == 0;
	if (n_blocks)
		taken = worker->taken[n_blocks & 1];
	if (!worker_sound(ring, worker, &taken, n_blocks))
		goto bad;
	join(worker, room, &taken, n_slots);
	n = count_sound(ring, worker, taken.slots, atomic_load(&worker->head));
	atomic_store(&worker->tail, taken.slots);
	atomic_store(&worker->head, taken.slots + n);
	atomic_store(&worker->waiting, 0);
	memset(worker->taken, 0, sizeof(worker->taken));
	worker->taken[n_blocks & 1] = taken;
	return worker;
bad:
	free(worker);
	return NULL;
}

static uint64_t ticks_of(const struct ring *ring, const struct wire_event *event)
{
	const uint64_t begin = ring->session->begin.ticks, mask = (UINT64_C(1) << 56) - 1;

	return begin + ((event_ticks(event) - begin) & mask);
}

/* How the worker stands, as read_worker() found. */
static struct worker_taken *taken_of(struct worker *worker)
{
	return &worker->taken[worker->taken[1].n_blocks != 0];
}

/*
 * Moves the worker's tail to the first event that begins a strand: what is before it may be the
 * rest of what was collapsed.
 */
static void skip_to_strand(const struct ring *ring, struct worker *worker)
{
	uint64_t at = atomic_load(&worker->tail), head = atomic_load(&worker->head);
	struct worker_taken *taken = taken_of(worker);

	for (; taken->n_blocks && at != head; at++) {
		const struct wire_event *event = &worker_slots(worker)[at & worker->mask];
		unsigned kind = event_kind(event);

		if (kind_begins(kind))
			break;
		taken->n_ids = ids_after(kind, event->b, taken->n_ids);
		taken->made.events += events_made(event);
		taken->made.tasks += tasks_made(kind, event->b);
		if (kind_timed(kind))
			taken->last_units = ticks_of(ring, event) >> ring->session->shift;
	}
	taken->running = 0;
	taken->slots = at;
	atomic_store(&worker->tail, at);
}

static void read_workers(struct ring *ring, struct drain *drain, struct recovered *out)
{
	uint64_t n_slots = joined_slots(ring->session->ring_slots);
	struct wire_event *room = calloc(n_slots, sizeof(*room));

	drain->n_slots = n_slots;
	for (uint32_t i = 0; i < ring->n_workers; i++) {
		bool elsewhere = false;
		struct worker *worker = room ? read_worker(ring, drain, i, room, &elsewhere) : NULL;

		ring->worker[i] = worker;
		out->n_elsewhere += !worker && elsewhere;
		out->n_bad += !worker && !elsewhere;
		if (!worker)
			continue;
		if (ring->is_apart && !ring->session->options.keep_last)
			skip_to_strand(ring, worker);
		if (ring->is_apart && !flight_blocks_of(&drain->flight, i))
			flight_forget(&drain->flight, i, taken_of(worker)->made.events);
	}
	free(room);
	for (uint32_t i = 0; drain->flight.why == WIRE_LOSS_DIED && i < drain->flight.n_workers;
	     i++)
		out->n_lost += drain->flight.count[i].thrown;
	if (out->n_bad)
		snprintf(out->why_kept, sizeof(out->why_kept),
			 "what was in memory does not continue the trace, and is lost "
			 "(workers: %u of %u)",
			 out->n_bad, ring->n_workers);
}

/* ---- a trace of its own: where no file has any block ---- */

/* Marks that the dead collector took are taken again, those that are still there. */
static void take_marks_again(struct session *session)
{
	uint32_t n = atomic_load(&session->n_marks), taken = atomic_load(&session->marks_taken);
	uint32_t from = n > SESSION_MARKS ? n - SESSION_MARKS : 0;

	if ((int32_t)(taken - from) <= 0)
		return;
	atomic_fetch_add(&session->marks_lost, from);
	while (from != taken &&
	       atomic_load(&session->mark[from % SESSION_MARKS].place) != from + 1) {
		atomic_fetch_add(&session->marks_lost, 1);
		from++;
	}
	atomic_store(&session->marks_taken, from);
}

/* Events that were only in memory are missing, and the trace says so. */
static void begin_apart(struct ring *ring, struct drain *drain, struct recovered *out)
{
	struct session *session = ring->session;
	bool has_log = session->options.keep_last && session->flight_at;
	bool loaded = has_log && ring_read_log(ring) &&
		      flight_load(&drain->flight, ring->log, session->flight_bytes);

	drain->as_is = true;
	drain->flight.max_bytes = APART_BYTES;
	drain->flight.why = loaded ? WIRE_LOSS_OLD : WIRE_LOSS_DIED;
	drain_go_on(drain);
	take_marks_again(session);
	if (has_log && !loaded)
		snprintf(out->why_kept, sizeof(out->why_kept),
			 "the events of the flight recorder are invalid");
}

/* The latest time that an event of the worker has, in the file or in the ring. */
static uint64_t last_ticks(const struct ring *ring, struct worker *worker)
{
	const struct session *session = ring->session;
	const uint64_t slots = worker->mask;
	uint64_t end = atomic_load(&worker->head), at = atomic_load(&worker->tail);
	uint64_t last = (worker->taken[0].last_units | worker->taken[1].last_units)
			<< session->shift;

	for (; at < end; at++) {
		const struct wire_event *event = &worker_slots(worker)[at & slots];
		uint64_t ticks = ticks_of(ring, event);

		if (kind_timed(event_kind(event)) && ticks > last)
			last = ticks;
	}
	return last;
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

/* The moment behind all events, on both clocks; this one, if there are none. */
static struct clock_pair last_moment(const struct ring *ring, const struct drain *drain)
{
	const struct clock_pair begin = ring->session->begin;
	struct clock_pair now = clock_pair(&ring->session->clock), last = begin;
	uint64_t of_blocks = last_ticks_of_blocks(drain);

	if (of_blocks > last.ticks)
		last.ticks = of_blocks;
	for (uint32_t i = 0; i < ring->n_workers; i++) {
		uint64_t ticks = ring->worker[i] ? last_ticks(ring, ring->worker[i]) : 0;

		if (ticks > last.ticks)
			last.ticks = ticks;
	}
	if (now.ns <= begin.ns || last.ticks == begin.ticks)
		return now;
	last.ticks += UINT64_C(1) << ring->session->shift;
	if (last.ticks >= now.ticks)
		return now;
	last.ns += (uint64_t)((unsigned __int128)(last.ticks - begin.ticks) * (now.ns - begin.ns) /
			      (now.ticks - begin.ticks));
	return last;
}

/* Ends the trace with what the rings hold; an error leaves it as it was. */
static int drain_rings(struct ring *ring, struct drain *drain, struct recovered *out,
		       struct err *err)
{
	uint64_t bytes = drain->file.bytes, n_before = drain->file.n_events;
	struct clock_pair last;

	if (ring->is_apart)
		begin_apart(ring, drain, out);
	read_workers(ring, drain, out);
	drain->n_unread = out->n_bad + out->n_elsewhere;
	ring->session->shift = drain->shift;
	if (drain->file.fd < 0 && !out->is_elsewhere)
		out->is_elsewhere = !destination_fits(ring->session);
	if (out->is_elsewhere)
		destination_here(ring->session);
	last = last_moment(ring, drain);
	while (drain_round(drain, DRAIN_LAST))
		;
	drain_end(drain, last, "recovered");
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

/* Opens the trace that has blocks of the rings, cut to its last whole one.  0 or -errno, told. */
static int resume_trace(struct ring *ring, struct drain *drain, const char *trace, struct err *err)
{
	int error = drain_resume(drain, trace);

	if (error) {
		*err = drain->file.err;
		return error;
	}
	error = check_trace(ring, &drain->file, err);
	if (!error && trace_file_cut(&drain->file) < 0) {
		*err = drain->file.err;
		error = err->code;
	}
	return error;
}

static void remove_ring(const struct ring *ring, struct recovered *out)
{
	int error = ring_remove(ring);

	if (error)
		snprintf(out->why_kept, sizeof(out->why_kept), "%s cannot be removed: %s",
			 ring->path, strerror(-error));
}

static int recover_once(const char *path, const char *trace, bool moved, struct recovered *out,
			struct err *err)
{
	struct ring ring = { .fd = -1 };
	struct drain drain = { .file.fd = -1 };
	int error = ring_open(&ring, path, err);

	if (!error)
		error = ring_read(&ring, err);
	if (error || ring.is_empty)
		goto out;
	error = drain_open(&drain, ring.session, ring_worker, &ring);
	if (error)
		err_set(err, ENOMEM, "%s: out of memory", path);
	if (!error)
		error = ring_trace(&ring, &trace, moved, err);
	if (!error && trace)
		error = resume_trace(&ring, &drain, trace, err);
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
static int recover_ring(const char *path, const char *trace, bool moved, struct recovered *out,
			struct err *err)
{
	int error = recover_once(path, trace, moved, out, err);
	struct err there, here;

	if (!error || !out->is_refused || out->is_elsewhere)
		return error;
	there = *err;
	*out = (struct recovered){ .is_elsewhere = true };
	error = recover_once(path, trace, moved, out, &here);
	if (error)
		err_set(err, -error, "%.180s; in the working directory: %.180s", there.text,
			here.text);
	return error;
}

int recover_look(const char *path, struct recover_look *out, struct err *err)
{
	struct ring ring = { .fd = -1 };
	int error = ring_open(&ring, path, err);

	*out = (struct recover_look){ 0 };
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
		out->is_here = destination_is_here(ring.session);
	}
	ring_close(&ring);
	return error;
}

static int add_left(const char *path, void *arg)
{
	struct recover_left *left = arg;
	struct recover_look look;
	struct err err;

	if (!ring_is_left(path) || recover_look(path, &look, &err) < 0)
		return 0;
	if (look.is_here ? !left->n_here : !left->n)
		left->example = look;
	left->n++;
	left->n_here += look.is_here;
	return 0;
}

struct recover_left recover_left(void)
{
	struct recover_left left = { 0 };

	ring_each(add_left, &left);
	return left;
}

int recover_ring_of(const char *path, char out[RING_PATH_MAX], struct err *err)
{
	struct reader *reader = NULL;
	const char *ring;
	int error;

	if (ring_named(path) && snprintf(out, RING_PATH_MAX, "%s", path) < RING_PATH_MAX)
		return 0;
	error = reader_open(&reader, path, err);
	if (error)
		return ring_find(path, out, RING_PATH_MAX) ? 0 : error;
	ring = defs_meta(reader_defs(reader), "ring");
	if (reader_facts(reader)->ended)
		error = err_set(err, EALREADY, "%s: is whole: nothing to recover", path);
	else if (!ring && !ring_find(path, out, RING_PATH_MAX))
		error = err_set(err, ENOENT, "%s: has no ring file; there is nothing to add to it",
				path);
	else if (ring && snprintf(out, RING_PATH_MAX, "%s", ring) >= RING_PATH_MAX)
		error = err_set(err, EPROTO, "%s: names an invalid ring file", path);
	reader_close(reader);
	return error;
}

int recover(const char *path, bool moved, struct recovered *out, struct err *err)
{
	char ring[RING_PATH_MAX];
	int error;

	*out = (struct recovered){ 0 };
	if (ring_named(path))
		return recover_ring(path, NULL, moved, out, err);
	error = recover_ring_of(path, ring, err);
	return error ? error : recover_ring(ring, path, false, out, err);
}
