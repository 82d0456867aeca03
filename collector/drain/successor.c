/* SPDX-License-Identifier: MIT */
/*
 * successor.c - finds out how far the dead collector had come, and closes the gap behind it.
 *
 * It died when the trace had two blocks of worker 0, up to event 800, and a torn third; the
 * worker's chunks have 512..1535 and 1536..1700:
 *
 *	successor_trace()	cuts the torn block off: 2 blocks
 *	successor_written()	so written[0] is the checkpoint, { number 800, n_blocks 2 }
 *	successor_workers()	the stream goes on at 800; or at 1536, if the worker has begun with
 *				the first chunk anew, behind a block that says: 736 lost
 */
#include "collector/drain/successor.h"

#include <errno.h>
#include <string.h>

#include "collector/definitions/marks.h"
#include "collector/drain/path.h"
#include "collector/session/point.h"

#define GAP_EVENTS 5u /* LOST, SINCE, UNTIL, NEXT_ID, RESUME */

/* ---- the trace ---- */

/* Opens the session's trace, which may have another name by now. */
static int open_trace(const struct session *session, struct trace_file *file, const char *path)
{
	int error = trace_file_resume(file, path);

	if (!error &&
	    (file->device != session->trace_device || file->inode != session->trace_inode))
		error = file->error =
			err_set(&file->err, EPROTO, "%s: is a copy, or not the trace of process %d",
				path, session->pid);
	return error;
}

/* Of an end, or of a `tptrace recover` that was interrupted: its ring file has all of it still. */
static bool is_void(const struct wire_block *block)
{
	return block->type == WIRE_INDEX || block->flags & WIRE_BLOCK_RECOVERED;
}

/* With a flight recorder the next end writes a new file, with all marks. */
int successor_trace(struct drain *drain, const char *path)
{
	struct session *session = drain->session;
	struct trace_file *file = &drain->file;
	int error = path ? open_trace(session, file, path) : 0;
	uint32_t n_marks = 0;

	while (!error && file->n_blocks && is_void(&file->index[file->n_blocks - 1])) {
		file->n_events -= file->index[--file->n_blocks].n_events;
		file->bytes = file->index[file->n_blocks].offset;
	}
	if (path && !error && !drain->flight.max_bytes)
		n_marks = lines_find(file, "mark ", NULL);
	if (path && !error)
		error = trace_file_cut(file);
	marks_take_again(session, error ? 0 : n_marks);
	return error;
}

/* ---- the workers ---- */

/*
 * How many blocks of the worker are in the trace, or were with the flight recorder.  If nothing is
 * left of it there, its last block may have been thrown away, or was not put yet.  Where chunks are
 * released behind blocks, the worker's tail says which; else it counts not, unless a successor,
 * which keeps one checkpoint, died before it put a block.
 */
static uint32_t blocks_of(const struct drain *drain, const struct worker *worker, uint32_t index,
			  uint64_t *last_units)
{
	const struct flight_block *newest = flight_newest(&drain->flight, index);
	uint32_t a = worker->written[0].n_blocks, b = worker->written[1].n_blocks;
	uint32_t least = a < b ? a : b, most = a < b ? b : a;

	if (!drain->flight.max_bytes)
		return trace_file_blocks_of(&drain->file, index, last_units);
	if (newest) {
		*last_units = newest->block.last_units;
		return newest->block.seqno + 1;
	}
	if (!stream_is_early(drain))
		return chunk_before(atomic_load(&worker->tail), worker->written[most & 1].number)
			       ? least
			       : most;
	return !drain->flight.log ? 0 : most - least > 1 ? most : least;
}

/* The newest of what the dead collector made known. */
static struct checkpoint last_reached(const struct worker *worker)
{
	return worker->reached[worker->reached[1].number > worker->reached[0].number];
}

struct checkpoint successor_written(const struct drain *drain, const struct worker *worker,
				    uint32_t index)
{
	uint64_t last_units = drain->begin_units;
	uint32_t n_blocks = blocks_of(drain, worker, index, &last_units);
	struct checkpoint at = { .last_units = last_units };

	if (n_blocks == 0)
		return at;
	if (worker->written[n_blocks & 1].n_blocks == n_blocks)
		return worker->written[n_blocks & 1];
	at = last_reached(worker); /* the program wrote into it: what is missing has no number */
	at.n_blocks = n_blocks;
	at.last_units = last_units;
	return at;
}

/* Where the events go on that are still there: at `at`, or behind a gap. */
static struct checkpoint find_rest(const struct drain *drain, struct worker *worker,
				   const struct checkpoint *at)
{
	const struct checkpoint *known;
	struct checkpoint rest = *at;
	struct chunk_events events;
	uint64_t number;

	chunk_take_back(worker, &drain->chunks, at->number);
	if (atomic_load(&worker->head) == at->number ||
	    chunk_find(worker, &drain->chunks, at->number, &events))
		return rest;
	number = chunk_oldest(worker, &drain->chunks, at->number);
	known = checkpoint_find(worker, &drain->chunks, number);
	rest = known ? *known : last_reached(worker);
	rest.number = number;
	return rest;
}

/* The slots of the worker's next events that say more of one that is gone. */
static uint32_t count_details(const struct drain *drain, struct worker *worker,
			      struct checkpoint *rest)
{
	struct chunk_events events;
	uint32_t n = 0;

	if (!chunk_find(worker, &drain->chunks, rest->number, &events))
		return 0;
	for (; n < events.n; n++) {
		const struct wire_event *event = &events.slot[n];
		unsigned kind = event_kind(event);

		if (kind_timed(kind) || kind == WIRE_LOST)
			break;
		rest->n_ids = ids_after(kind, event->b, rest->n_ids);
		rest->n_tasks += tasks_made(kind, event->b);
	}
	return n;
}

static void put_gap(struct drain *drain, struct stream *stream, const struct checkpoint *at,
		    struct checkpoint *rest)
{
	struct wire_event event[GAP_EVENTS];
	uint64_t n = rest->n_dropped - at->n_dropped;
	uint64_t since = at->last_units << drain->shift, until = rest->last_units << drain->shift;

	stream->n_skip = count_details(drain, stream->worker, rest);
	drain->definitions.predecessor.n_died += rest->number - at->number + stream->n_skip;
	n += rest->number - at->number + stream->n_skip; /* the others are the worker's */
	if (until < since)
		until = since;
	event[0] = (struct wire_event){ WIRE_LOST, lost_make(n, WIRE_LOSS_DIED) };
	event[1] = (struct wire_event){ WIRE_SINCE, since };
	event[2] = (struct wire_event){ WIRE_UNTIL, until };
	event[3] = (struct wire_event){ WIRE_NEXT_ID, rest->n_ids };
	event[4] = (struct wire_event){ event_at(until, WIRE_RESUME), rest->running };
	stream_put(drain, stream, event, GAP_EVENTS - (rest->running == 0), rest);
}

static void inherit_worker(struct drain *drain, struct worker *worker, uint32_t index)
{
	struct stream *stream = &drain->stream[index];
	struct checkpoint at = successor_written(drain, worker, index), rest;

	worker->written[at.n_blocks & 1] = at; /* first: this one may be killed, too */
	test_point("successor:checkpoint");
	memset(&worker->written[~at.n_blocks & 1], 0, sizeof(worker->written[0]));
	if (drain->flight.max_bytes && !flight_newest(&drain->flight, index))
		flight_forget(&drain->flight, index, at.number + at.n_dropped);
	rest = find_rest(drain, worker, &at);
	if (rest.number != at.number && !drain->full)
		put_gap(drain, stream, &at, &rest);
	test_point("successor:put");
	stream_begin(stream, &rest);
}

void successor_workers(struct drain *drain)
{
	uint32_t n = stream_find(drain, stream_workers(drain));

	for (uint32_t i = 0; i < n; i++)
		if (drain->stream[i].worker)
			inherit_worker(drain, drain->stream[i].worker, i);
}

void successor_open(struct drain *drain, void *log, uint64_t log_bytes)
{
	struct session *session = drain->session;
	uint32_t n = stream_workers(drain);
	const char *trace = session->trace[0] ? session->trace : NULL;
	bool begun = trace != NULL;
	uint64_t unknown = 0;

	/* `record` knows better when that was, and of what: it says so later, or has */
	atomic_compare_exchange_strong(&session->died_ns, &unknown, clock_monotonic_ns());
	session->trace[sizeof(session->trace) - 1] = 0;
	test_point("successor:begins");
	if (log && !flight_resume(&drain->flight, log, log_bytes))
		flight_use_log(&drain->flight, log, log_bytes, NULL);
	if (successor_trace(drain, trace) < 0) {
		drain->definitions.predecessor.trace = strdup(trace);
		trace_file_close(&drain->file);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct worker *worker = drain->worker_at(drain->arg, i);

		begun |= worker && atomic_load(&worker->tail) != 0;
	}
	test_point("successor:resumed");
	drain->definitions.predecessor.was_there = true;
	drain->full = atomic_load(&session->shut) == WIRE_LOSS_SIZE;
	if (!begun)
		return;
	drain_go_on(drain);
	if (drain->file.fd < 0 && !drain->flight.max_bytes)
		path_create(&drain->file, session, drain->part);
	successor_workers(drain);
}

/* Whether the trace has all events that are in the chunks. */
static bool all_is_taken(struct drain *drain)
{
	uint32_t n = stream_workers(drain);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker && stream_untaken(drain, worker, i))
			return false;
	}
	return true;
}

bool successor_is_complete(struct drain *drain, const void *log)
{
	struct session *session = drain->session;
	struct trace_file file = { .fd = -1 };
	bool ended;

	if (atomic_load(&session->life) == SESSION_LIFE_DONE)
		return true;
	session->trace[sizeof(session->trace) - 1] = 0;
	ended = session->trace[0] && open_trace(session, &file, session->trace) == 0 &&
		file.finished;
	trace_file_close(&file);
	/* what a flight recorder kept without a log went with it: nothing could be added */
	return ended && (atomic_load(&session->state) == SESSION_CLOSED ||
			 (drain->flight.max_bytes && !log) || all_is_taken(drain));
}
