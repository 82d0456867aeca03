/* SPDX-License-Identifier: MIT */
/* ending.c - writes what a trace says besides its events: definitions, gaps, its end. */
#include "collector/drain/ending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/trace/defs.h"
#include "collector/drain/drain.h"
#include "collector/drain/release.h"
#include "collector/trace/lines.h"
#include "collector/trace/note.h"
#include "collector/session/gate.h"

struct ending {
	const char *how;
	struct clock_pair end;
};

/* Marks that are new are kept or, if `out` is not NULL, written behind those that were kept. */
static void take_marks(struct drain *drain, struct lines *out)
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

static void put_memory(struct drain *drain, struct lines *out)
{
	/* recovering has a log of its own, which takes whatever there is */
	uint64_t bytes = drain->as_is ? drain->session->flight_bytes : drain->flight.max_bytes;
	uint32_t n = stream_workers(drain);

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			bytes += (stream_slots(drain, worker) + (worker->thins ? FRESH_SLOTS : 0)) *
				 sizeof(struct wire_event);
	}
	if (bytes == drain->bytes_described)
		return;
	drain->bytes_described = bytes;
	lines_print(out, "meta rings %u\nmeta memory_bytes %llu\n", n, (unsigned long long)bytes);
}

/* The dead collector whose place this one took. */
static void put_inherited(struct drain *drain, struct lines *out)
{
	char *escaped = drain->before ? malloc(3 * strlen(drain->before) + 1) : NULL;

	if (drain->inherited && !drain->inherited_is_told)
		lines_print(out, "meta collector_died 1\n");
	if (escaped && !drain->inherited_is_told)
		lines_print(out, "meta continues %s\n", defs_escape(escaped, drain->before));
	free(escaped);
	drain->inherited_is_told = true;
}

/* When that was, and of what, as far as is known by now. */
static void put_death(const struct drain *drain, struct lines *out)
{
	unsigned long long ns = atomic_load(&drain->session->died_ns);
	unsigned signal = atomic_load(&drain->session->died_signal);

	if (!drain->inherited)
		return;
	if (ns)
		lines_print(out, "meta collector_died_ns %llu\n", ns);
	if (signal)
		lines_print(out, "meta collector_signal %u\n", signal);
}

/* Events that all workers dropped so far, those that were lost with a collector, and those for
 * which the file had no room. */
uint64_t ending_lost(struct drain *drain)
{
	uint32_t n_workers = stream_workers(drain);
	uint64_t lost = drain->n_died;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		lost += worker ? atomic_load(&worker->lost) + worker->n_past : 0;
	}
	return lost;
}

/* If the clock went back meanwhile, the file also has what was before. */
static void put_whole(struct drain *drain, struct lines *out, const struct whole *whole)
{
	uint64_t units = whole->ticks >> drain->shift;
	uint32_t n_workers = drain->clock_samples.went_back ? stream_workers(drain) : 0;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);
		uint64_t last = worker ? release_taken(drain, worker)->last_units : 0;

		units = last > units ? last : units;
	}
	describe_whole(whole->now, units, drain->shift, out);
}

/* So far, for the program; it is written once more where the trace ends. */
static void put_cpu(const struct drain *drain, struct lines *out)
{
	uint64_t cpu_ns = 0, waited_ns = 0;

	for (uint32_t i = 0; i < drain->lanes.n; i++)
		cpu_ns += drain->lanes.at[i]->cpu_ns;
	for (uint32_t i = 0; i < drain->n_streams; i++)
		if (drain->stream[i].worker)
			waited_ns += atomic_load(&drain->stream[i].worker->waited_ns);
	if (cpu_ns) /* `recover` takes none from the program */
		lines_print(out, "meta collector_cpu_ns %llu\nmeta ring_waits_ns %llu\n",
			    (unsigned long long)cpu_ns, (unsigned long long)waited_ns);
}

static void put_new(struct drain *drain, struct lines *out, const void *context)
{
	const struct whole *whole = context;
	const struct collapse *collapse = drain->lanes.at[0]->collapse;
	uint64_t lost = ending_lost(drain);

	describe_new(&drain->described, drain->session, drain->shift, out);
	put_inherited(drain, out);
	put_memory(drain, out);
	take_marks(drain, out);
	if (whole && collapse && !drain->full)
		describe_collapsed(collapse, &drain->earlier, drain->shift, out);
	clock_samples_put(&drain->clock_samples, drain->shift, out);
	cputimes_put(&drain->cputimes, drain->shift, out);
	cputimes_clear(&drain->cputimes);
	if (whole) {
		put_whole(drain, out, whole);
		put_cpu(drain, out);
	}
	if (whole && lost)
		lines_print(out, "meta lost_events %llu\n", (unsigned long long)lost);
	if (whole)
		marks_put_lost(&drain->marks, drain->session, drain->shift, out);
}

/* What is collapsed in the blocks that are kept: the lane has no tallies of its own. */
static void put_kept(const struct drain *drain, struct lines *out)
{
	struct collapse *collapse = drain->lanes.at[0]->collapse;
	const struct defs none = { 0 };

	for (uint64_t i = 0; collapse && i < drain->flight.n; i++)
		collapse_unpack(collapse, flight_at(&drain->flight, i)->told,
				flight_at(&drain->flight, i)->told_bytes);
	if (!collapse)
		return;
	describe_collapsed(collapse, &none, drain->shift, out);
	collapse_forget(collapse);
}

/* All that is known, into a file that has nothing yet: what the flight recorder leaves. */
static void put_all(struct drain *drain, struct lines *out, const void *whole)
{
	struct describe again = { 0 };

	describe_new(&again, drain->session, drain->shift, out);
	drain->bytes_described = 0;
	drain->inherited_is_told = false;
	put_inherited(drain, out);
	put_memory(drain, out);
	take_marks(drain, NULL);
	marks_put(&drain->marks, drain->shift, out);
	clock_samples_put_all(&drain->clock_samples, drain->shift, out);
	drain->cputimes.told = CPUTIMES_NONE;
	cputimes_put(&drain->cputimes, drain->shift, out);
	put_kept(drain, out);
	put_whole(drain, out, whole);
}

/*
 * Events that the worker says it made and that nobody took: its own count is held against ours
 * where it stood at the end, or stands still, as the process has ended.
 */
static uint64_t count_untaken(const struct drain *drain, const struct worker *worker, uint32_t w,
			      uint64_t taken)
{
	const struct closing *closing = &drain->closing;
	uint64_t made = taken;

	if (drain->as_is) /* what `recover` copied begins elsewhere */
		return 0;
	if (closing->head && w < closing->n)
		made = closing->head[w];
	else if (drain->last && atomic_load(&drain->session->state) != SESSION_CLOSED)
		made = atomic_load(&worker->head);
	return made > taken ? made - taken : 0;
}

/* What the workers made, for the reader to hold against what it finds. */
static void put_made(struct drain *drain, struct lines *out)
{
	uint32_t n_workers = stream_workers(drain);
	struct worker_made all = { 0 };
	uint64_t n_untaken = 0;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (!worker)
			continue;
		struct worker_made one = release_stand(drain, worker).made;

		if (i < drain->n_streams) { /* in the end, which may be taken back */
			const struct fetch_rest *rest = &drain->stream[i].rest;
			const struct worker_made more =
				release_made(rest->event, 0, UINT64_MAX, rest->n);

			release_add(&one, &more);
		}
		n_untaken += count_untaken(drain, worker, i, one.events);
		one.events += atomic_load(&worker->lost);
		one.tasks += atomic_load(&worker->lost_tasks);
		release_add(&all, &one);
	}
	if (n_untaken)
		lines_print(out, "meta untaken_events %llu\n", (unsigned long long)n_untaken);
	lines_print(out, "meta made_events %llu\nmeta made_tasks %llu\n",
		    (unsigned long long)(all.events + n_untaken), (unsigned long long)all.tasks);
}

/* strerror() may speak the program's language. */
const char *ending_why_full(const struct drain *drain)
{
	uint32_t unwritten = atomic_load(&drain->session->unwritten);

	switch (drain->file.full ? (uint32_t)-drain->file.full : unwritten) {
	case 0:
		return NULL;
	case ENOSPC:
		return "no space left";
	case EDQUOT:
		return "disk quota exceeded";
	case EFBIG:
		return "file size limit reached";
	default:
		return "input/output error";
	}
}

static void put_end(struct drain *drain, struct lines *out, const void *context)
{
	const struct ending *ending = context;
	const char *how = ending->how;
	uint32_t n_refused = atomic_load(&drain->session->n_refused);
	uint32_t n_unnamed = atomic_load(&drain->session->n_unnamed);
	char escaped[3 * DRAIN_HOW_MAX], unwritten[3 * DRAIN_HOW_MAX];

	if (drain->n_unread)
		lines_print(out, "meta unrecovered_rings %u\n", drain->n_unread);
	if (n_unnamed)
		lines_print(out, "meta unnamed_sites %u\n", n_unnamed);
	if (n_refused)
		lines_print(out, "meta unrecorded_threads %u\n", n_refused);
	if (atomic_load(&drain->session->n_uncounted))
		lines_print(out, "meta uncounted_threads %u\n",
			    atomic_load(&drain->session->n_uncounted));
	if (atomic_load(&drain->session->n_barred))
		lines_print(out, "meta unrecorded_calls %u\n",
			    atomic_load(&drain->session->n_barred));
	if (atomic_load(&drain->session->n_foreign))
		lines_print(out, "meta unplaced_calls %u\n",
			    atomic_load(&drain->session->n_foreign));
	put_death(drain, out);
	put_made(drain, out);
	if (ending_why_full(drain))
		lines_print(out, "meta unwritten %s\n",
			    defs_escape(unwritten, ending_why_full(drain)));
	marks_put_lost(&drain->marks, drain->session, drain->shift, out);
	closing_put(drain, out);
	put_cpu(drain, out);
	lines_print(out, "meta lost_events %llu\nmeta ended %s\n",
		    (unsigned long long)ending_lost(drain), defs_escape(escaped, how));
	if (strcmp(how, "recovered") != 0) /* nobody saw when that was */
		lines_print(out, "meta ended_ns %llu\n", (unsigned long long)ending->end.ns);
	if (drain->session->options.max_bytes)
		lines_print(out, "meta max_size %llu\nmeta keep %s\n",
			    (unsigned long long)drain->session->options.max_bytes,
			    drain->session->options.keep_last ? "last" : "first");
}

static void put_snapshot(struct drain *drain, struct lines *out, const void *context)
{
	const struct clock_pair *now = context;

	if (!drain->flight.max_bytes)
		put_whole(drain, out, &(struct whole){ *now, now->ticks });
	lines_print(out, "meta snapshot %u\n", drain->n_snapshots);
}

void ending_definitions(struct drain *drain, const struct whole *whole)
{
	if (drain->flight.max_bytes)
		take_marks(drain, NULL);
	else
		lines_put(drain, &drain->file, put_new, whole);
}

/* Notes the gap at the end of a worker's stream: dropped events that no note covers yet. */
static void put_gaps_of(struct drain *drain, struct trace_file *file, uint32_t w, uint32_t seqno,
			uint64_t end_units)
{
	struct worker *worker = drain->worker_at(drain->arg, w);
	struct note_gap gap[WIRE_LOSS_OLD];
	struct wire_event room[NOTE_SLOTS];

	if (!worker)
		return;
	const struct worker_taken *taken = release_taken(drain, worker);
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
	bool has_rest = stream_put_rest(drain, file, w, &place);
	struct note_slots slots = stream_left(drain, worker, w, room);

	if (!has_rest) /* else the notes are in it */
		note_untaken(&slots, gap);
	for (uint32_t why = 0; why < WIRE_LOSS_OLD; why++) {
		uint64_t past = why == WIRE_LOSS_SIZE ? worker->n_past : 0;

		gap[why].n = lost_n(gap[why].n + past);
		if (past || gap[why].since < place.units)
			gap[why].since = place.units;
		if (gap[why].until < gap[why].since)
			gap[why].until = gap[why].since;
	}
	note_put(file, drain->lanes.at[0]->encoder, &place, gap, WIRE_LOSS_OLD);
}

/* The same of all workers.  seqno: of each one's next block, n of them; NULL: the trace's own. */
void ending_gaps(struct drain *drain, struct trace_file *file, uint64_t end_units,
		 const uint32_t *seqno, uint32_t n)
{
	uint32_t n_workers = stream_workers(drain);

	for (uint32_t w = 0; w < n_workers; w++)
		put_gaps_of(drain, file, w, !seqno ? UINT32_MAX : w < n ? seqno[w] : 0, end_units);
}

/* Writes what the flight recorder holds to a new file, but for its end. */
int ending_flight(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	uint64_t end_units = end->ticks >> drain->shift;
	uint32_t *seqno = malloc((drain->flight.n_workers + 1) * sizeof(*seqno));

	if (!seqno)
		return trace_file_fail(file, ENOMEM, "cannot write what was kept");
	lines_put(drain, file, put_all, &(struct whole){ *end, end->ticks });
	if (flight_write(&drain->flight, file, drain->lanes.at[0]->encoder, drain->begin_units,
			 end_units, seqno) == 0)
		ending_gaps(drain, file, end_units, seqno, drain->flight.n_workers);
	free(seqno);
	return file->error ? file->error : file->full;
}

/* Whether an error says that there is no room for more bytes. */
static bool is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT || error == -EFBIG;
}

int ending_flight_fit(struct drain *drain, struct trace_file *file, const struct clock_pair *end)
{
	int error = ending_flight(drain, file, end);

	while (is_full(error) && !drain->as_is && release_is_early(drain) &&
	       flight_halve(&drain->flight) && trace_file_empty(file) == 0) {
		drain->cut_error = error;
		error = ending_flight(drain, file, end);
	}
	return error;
}

int ending_snapshot(struct drain *drain, const char *path, const struct clock_pair *now,
		    struct err *err)
{
	struct trace_file file;
	int error;

	if (drain->flight.max_bytes) {
		error = trace_file_create(&file, path);
		if (!error)
			ending_flight(drain, &file, now);
	} else {
		error = trace_file_copy(&file, &drain->file, path);
		if (!error)
			ending_gaps(drain, &file, now->ticks >> drain->shift, NULL, 0);
	}
	if (!error)
		lines_put(drain, &file, put_snapshot, now);
	if (!error)
		error = trace_file_finish(&file);
	*err = file.err;
	trace_file_close(&file);
	return error;
}

void ending_marks(struct drain *drain)
{
	take_marks(drain, NULL);
}

void ending_last(struct drain *drain, struct clock_pair end, const char *how)
{
	lines_put(drain, &drain->file, put_end, &(struct ending){ how, end });
}
