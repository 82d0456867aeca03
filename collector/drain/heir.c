/* SPDX-License-Identifier: MIT */
/* heir.c - finds out how far the dead collector had come, and closes the gap behind it. */
#include "collector/drain/heir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/definitions/marks.h"
#include "collector/drain/path.h"
#include "collector/drain/release.h"
#include "collector/session/handed.h"
#include "collector/session/point.h"

#define OVERWRITTEN_SOON 64u /* a worker that records may be so far ahead of what is seen of it */
#define GAP_EVENTS 5u	     /* LOST, SINCE, UNTIL, NEXT_ID, RESUME */

/* ---- the trace ---- */

/* Opens the session's trace.  False if it cannot be had any more. */
static bool open_trace(const struct session *session, struct trace_file *file)
{
	return trace_file_resume(file, session->trace) == 0 &&
	       file->device == session->trace_device && file->inode == session->trace_inode;
}

static bool has_end(const struct trace_file *file)
{
	return file->n_blocks && file->index[file->n_blocks - 1].type == WIRE_INDEX;
}

/* Opens the trace behind its last whole block.  False if that fails. */
static bool resume(struct drain *drain)
{
	struct trace_file *file = &drain->file;

	if (!open_trace(drain->session, file))
		return false;
	while (has_end(file))
		file->bytes = file->index[--file->n_blocks].offset; /* it had its end */
	drain->definitions.predecessor.n_marks = marks_count(file);
	return trace_file_cut(file) == 0;
}

/* As many marks as the trace has were taken; those that are not in it are taken again, if they are
 * still there. */
static void take_marks_again(struct drain *drain)
{
	struct session *session = drain->session;
	uint32_t taken = atomic_load(&session->marks_taken);
	uint32_t from = drain->definitions.predecessor.n_marks;

	if ((int32_t)(taken - from) <= 0)
		return;
	if (taken - from > SESSION_MARKS) {
		atomic_fetch_add(&session->marks_lost, taken - from - SESSION_MARKS);
		from = taken - SESSION_MARKS;
	}
	while (from != taken &&
	       atomic_load(&session->mark[from % SESSION_MARKS].place) != from + 1) {
		atomic_fetch_add(&session->marks_lost, 1);
		from++;
	}
	atomic_store(&session->marks_taken, from);
}

/* ---- the workers ---- */

static uint32_t blocks_of(const struct trace_file *file, uint32_t worker, uint64_t *last_units)
{
	uint32_t n = 0;

	for (uint64_t i = 0; file->fd >= 0 && i < file->n_blocks; i++) {
		const struct wire_block *block = &file->index[i];

		if (block->type != WIRE_EVENTS || block->worker != worker)
			continue;
		n++;
		*last_units = block->last_units;
	}
	return n;
}

/* How the worker's part of the file stands; `stand` is its tail's. */
static struct worker_taken written(const struct drain *drain, const struct worker *worker,
				   uint32_t index, const struct worker_taken *stand)
{
	uint64_t last_units = drain->begin_units;
	uint32_t n_blocks = blocks_of(&drain->file, index, &last_units);
	struct worker_taken at = { .last_units = last_units };

	if (n_blocks == 0)
		return at;
	if (worker->taken[n_blocks & 1].n_blocks == n_blocks)
		return worker->taken[n_blocks & 1];
	at = *stand; /* the program wrote into it: what is missing has no number */
	at.n_blocks = n_blocks;
	at.last_units = last_units;
	return at;
}

/* Whether none of the events from there on has another in its place, nor will have at once. */
static bool still_there(const struct drain *drain, struct worker *worker, uint64_t from)
{
	uint64_t given = worker_given(worker);
	uint64_t n_slots = stream_slots(drain, worker), soon = OVERWRITTEN_SOON;

	if (worker->thins) /* what it hands over next */
		soon = n_slots / 2 < FRESH_SLOTS ? n_slots / 2 : FRESH_SLOTS;
	return given - from <= n_slots - soon && (int64_t)(from - worker_kept_from(worker)) >= 0;
}

/* Writes what was given back and is still there.  False if it is not. */
static bool put_rest(struct drain *drain, struct worker *worker, uint32_t index, uint64_t from,
		     const struct worker_taken *stand)
{
	const uint64_t tail = stand->slots;
	struct encode_source rest = { .mask = UINT64_MAX, .n = (uint32_t)(tail - from) };
	struct wire_event *copy;
	uint64_t n_slots;
	bool there;

	if (tail - from > drain->n_slots || !still_there(drain, worker, from))
		return false;
	n_slots = stream_slots(drain, worker);
	copy = malloc(rest.n * sizeof(*copy));
	for (uint32_t i = 0; copy && i < rest.n; i++) {
		const struct wire_event *event = &worker_slots(worker)[(from + i) & (n_slots - 1)];

		/* the head is read after what it vouches for */
		copy[i].a = __atomic_load_n(&event->a, __ATOMIC_ACQUIRE);
		copy[i].b = __atomic_load_n(&event->b, __ATOMIC_ACQUIRE);
	}
	there = copy && still_there(drain, worker, from);
	rest.slot = copy;
	if (there)
		stream_put(drain, worker, index, &rest, stand);
	free(copy);
	return there;
}

/* Skips events at the tail that say more of one that is gone; `stand` moves on with them. */
static void skip_details(const struct drain *drain, struct worker *worker,
			 struct worker_taken *stand)
{
	uint64_t given = worker_given(worker);
	uint64_t n_slots = stream_slots(drain, worker);

	for (uint64_t n = 0; stand->slots != given && n < n_slots; n++, stand->slots++) {
		const struct wire_event *event =
			&worker_slots(worker)[stand->slots & (n_slots - 1)];
		unsigned kind = event_kind(event);

		if (kind_timed(kind) || kind == WIRE_LOST)
			break;
		stand->n_ids = ids_after(kind, event->b, stand->n_ids);
		stand->made.events += events_made(event);
		stand->made.tasks += tasks_made(kind, event->b);
	}
}

static void put_gap(struct drain *drain, struct worker *worker, uint32_t index,
		    const struct worker_taken *at, struct worker_taken *stand)
{
	struct wire_event event[GAP_EVENTS];
	struct encode_source gap = { .slot = event, .mask = UINT64_MAX, .n = GAP_EVENTS };
	uint64_t n = stand->n_dropped - at->n_dropped;
	uint64_t since = at->last_units << drain->shift, until = stand->last_units << drain->shift;

	skip_details(drain, worker, stand);
	n += stand->made.events - at->made.events;
	if (until < since)
		until = since;
	event[0] = (struct wire_event){ WIRE_LOST, lost_make(n, WIRE_LOSS_DIED) };
	event[1] = (struct wire_event){ WIRE_SINCE, since };
	event[2] = (struct wire_event){ WIRE_UNTIL, until };
	event[3] = (struct wire_event){ WIRE_NEXT_ID, stand->n_ids };
	event[4] = (struct wire_event){ event_at(until, WIRE_RESUME), stand->running };
	gap.n -= stand->running == 0;
	drain->definitions.predecessor.n_died +=
		n - (stand->n_dropped - at->n_dropped); /* those are the worker's */
	stream_put(drain, worker, index, &gap, stand);
}

static void inherit_worker(struct drain *drain, struct worker *worker, uint32_t index)
{
	struct worker_taken stand = release_stand(drain, worker);
	struct worker_taken at = written(drain, worker, index, &stand);

	stand.slots = atomic_load(&worker->tail);
	worker->taken[at.n_blocks & 1] = at; /* first: this one may be killed, too */
	test_point("heir:stands");
	memset(&worker->taken[~at.n_blocks & 1], 0, sizeof(worker->taken[0]));
	if (drain->full || (int64_t)(stand.slots - at.slots) <= 0)
		return;
	if (!put_rest(drain, worker, index, at.slots, &stand))
		put_gap(drain, worker, index, &at, &stand);
	test_point("heir:put");
}

void heir_open(struct drain *drain)
{
	struct session *session = drain->session;
	uint32_t n = atomic_load(&session->n_workers);
	bool begun = session->trace[0] != 0;
	uint64_t unknown = 0;

	/* `record` knows better when that was, and of what: it says so later, or has */
	atomic_compare_exchange_strong(&session->died_ns, &unknown, clock_monotonic_ns());
	session->trace[sizeof(session->trace) - 1] = 0;
	test_point("heir:begins");
	if (begun && !resume(drain)) {
		drain->definitions.predecessor.trace = strdup(session->trace);
		drain->definitions.predecessor.n_marks = 0;
		trace_file_close(&drain->file);
	}
	for (uint32_t i = 0; i < n && i < WIRE_WORKERS; i++) {
		const struct worker *worker = drain->worker_at(drain->arg, i);

		begun |= worker && atomic_load(&worker->tail) != 0;
	}
	test_point("heir:resumed");
	drain->definitions.predecessor.was_there = true;
	drain->full = atomic_load(&session->shut) == WIRE_LOSS_SIZE;
	take_marks_again(drain);
	if (begun)
		drain_go_on(drain);
	if (begun && drain->file.fd < 0 && !drain->flight.max_bytes)
		path_create(&drain->file, session);
	for (uint32_t i = 0; begun && i < n && i < WIRE_WORKERS; i++)
		if (drain->worker_at(drain->arg, i))
			inherit_worker(drain, drain->worker_at(drain->arg, i), i);
}

/* Whether nothing is in the rings that the trace does not have. */
static bool all_is_taken(struct drain *drain)
{
	uint32_t n = atomic_load(&drain->session->n_workers);

	for (uint32_t i = 0; i < n && i < WIRE_WORKERS; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker && (worker_given(worker) != release_taken(drain, worker)->slots ||
			       stream_is_fresh(worker)))
			return false;
	}
	return true;
}

bool heir_is_whole(struct drain *drain)
{
	struct session *session = drain->session;
	struct trace_file file = { .fd = -1 };
	struct stat st;
	bool ended;

	if (atomic_load(&session->life) == SESSION_LIFE_DONE)
		return true;
	session->trace[sizeof(session->trace) - 1] = 0;
	ended = session->trace[0] && open_trace(session, &file) && has_end(&file) &&
		fstat(file.fd, &st) == 0 &&
		(uint64_t)st.st_size >= file.bytes + sizeof(struct wire_footer);
	trace_file_close(&file);
	/* what a flight recorder kept inside went with the process: nothing could be added */
	return ended && (atomic_load(&session->state) == SESSION_CLOSED ||
			 drain->flight.max_bytes || all_is_taken(drain));
}
