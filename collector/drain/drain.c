/* SPDX-License-Identifier: MIT */
/* drain.c - takes all events of a session in rounds, and ends its trace. */
#include "collector/drain/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/drain/finish.h"
#include "collector/drain/path.h"
#include "collector/drain/granularity.h"
#include "collector/session/gate.h"
#include "collector/session/point.h"

#define SHIFT_MOST 2u	     /* a clock of 8 GHz has jumped */
#define FLUSH_BLOCKS 4u	     /* all events are taken after so many blocks, too, .. */
#define FLUSH_WORKER 2u	     /* .. or after so many of each worker */
#define APART_EVENTS 4096u   /* fewer are taken before other threads would have woken up */
#define COLLAPSED_PARTS 128u /* no task is collapsed that takes more of the time so far */
#define FIRST_NS 20000000u   /* how long to sleep until there is a trace */
#define STACKS_NS 40000000u  /* .. and then, where stacks are sampled (sampler.c) */
#define AGAIN_NS 1000000u    /* at the end CPU times are asked for again after that */
#define LEAST_EVENTS 96u     /* fewer are not worth it; more than WIRE_COLLAPSED_FIELDS */

/* Ticks are shifted to units as near to 1 ns as a power of two gets them, but not above; or not at
 * all if the clock has jumped. */
static uint32_t choose_shift(struct session *session)
{
	struct clock_pair now = clock_pair(&session->clock);
	uint64_t ns = now.ns - session->begin.ns;
	uint64_t ticks = now.ticks - session->begin.ticks;
	uint32_t shift = 0;

	while (ns && shift <= SHIFT_MOST && ticks >> (shift + 1) >= ns)
		shift++;
	return shift <= SHIFT_MOST ? shift : 0;
}

int drain_reserve(struct drain *drain, int fd)
{
	while (drain->n_spares < DRAIN_SPARES) {
		int spare = fcntl(fd, F_DUPFD_CLOEXEC, 0);

		if (spare < 0)
			return -errno;
		drain->spare[drain->n_spares++] = spare;
	}
	return 0;
}

static void unreserve(struct drain *drain)
{
	while (drain->n_spares)
		close(drain->spare[--drain->n_spares]);
}

/* From now on, times are in ticks >> shift. */
static void count_in(struct drain *drain, uint32_t shift)
{
	drain->shift = drain->definitions.shift = shift;
	drain->granularity = granularity_of(drain->session, shift);
	drain->begin_units = drain->session->begin.ticks >> shift;
	drain->ready = true;
}

void drain_begin(struct drain *drain)
{
	if (drain->ready)
		return;
	count_in(drain, choose_shift(drain->session));
	drain->session->shift = drain->shift;
}

void drain_go_on(struct drain *drain)
{
	count_in(drain, drain->session->shift & 31);
}

/*
 * The file is made when there is something to write: empty processes leave none.  That of the
 * flight recorder is made at the end.
 */
static bool file_ready(struct drain *drain)
{
	drain_begin(drain);
	if (drain->flight.max_bytes || drain->file.fd >= 0)
		return true;
	unreserve(drain);
	return !drain->file.error && path_create(&drain->file, drain->session, drain->part) == 0;
}

/* The session may be anybody's. */
uint64_t drain_keeps(const struct session *session)
{
	uint64_t most = session->options.max_bytes;

	if (!session->options.keep_last)
		return 0;
	return most < 4 * DRAIN_RESERVE_BYTES ? 2 * DRAIN_RESERVE_BYTES
					      : most - 2 * DRAIN_RESERVE_BYTES;
}

/* Pending events per worker at most; the program may have overwritten pending_slots. */
static uint32_t pending_slots_of(const struct session *session)
{
	uint32_t n = session->pending_slots;

	if (n == 0)
		return PENDING_SLOTS_SHARED;
	return n >= PENDING_SLOTS_SHARED && n < PENDING_SLOTS ? n : PENDING_SLOTS;
}

int drain_open(struct drain *drain, struct session *session, gate_worker *worker_at, void *arg)
{
	*drain = (struct drain){ .session = session,
				 .worker_at = worker_at,
				 .arg = arg,
				 .definitions.session = session,
				 .chunks = session->chunks,
				 .file.fd = -1 };
	if (!drain->chunks.n || !drain->chunks.slots || drain->chunks.slots > CHUNK_EVENTS ||
	    session->clock.source >= CLOCK_SOURCES)
		return -EPROTO;
	if (!lines_reserve(&drain->lines))
		return -ENOMEM;
	drain->flight.max_bytes = drain_keeps(session);
	drain->flight.why = WIRE_LOSS_OLD;
	return drain_threads_open(drain, pending_slots_of(session),
				  session->options.collapse_ns != 0);
}

uint32_t drain_cpus(const struct session *session)
{
	return session->process.affinity ? session->process.affinity : session->process.cores;
}

uint32_t drain_most_threads(const struct session *session)
{
	uint32_t n = session->options.collector_threads;

	return n ? n : drain_cpus(session);
}

void drain_use_threads(struct drain *drain, const struct thread_calls *calls)
{
	drain_threads_allow(&drain->threads, calls, drain_most_threads(drain->session));
}

/* Workers collapse by the same limits. */
static void publish_limits(struct drain *drain)
{
	struct session *session = drain->session;

	atomic_store_explicit(&session->thin_task, drain->limits.task, memory_order_relaxed);
	atomic_store_explicit(&session->thin_strand, drain->limits.strand, memory_order_relaxed);
}

/* For how many ticks there are events: since the session began, or as long as they are kept. */
static uint64_t ticks_recorded(const struct drain *drain, struct clock_pair now, double ticks_a_ns)
{
	uint64_t ticks = (uint64_t)((double)(now.ns - drain->session->begin.ns + 1) * ticks_a_ns);
	uint64_t kept = now.ticks - (flight_since(&drain->flight) << drain->shift);

	return kept < ticks ? kept : ticks;
}

/*
 * The share that is collapsed grows with the time recorded, so that a trace of one worker at work
 * grows with its logarithm, and no figure suffers.
 */
static void set_limits(struct drain *drain, struct clock_pair now)
{
	const struct session *session = drain->session;
	double ticks_a_ns =
		clock_samples_rate(&drain->definitions.clock_samples, session->begin, now);

	drain->limits.strand = (uint64_t)((double)session->options.collapse_ns * ticks_a_ns);
	drain->limits.task = ticks_recorded(drain, now, ticks_a_ns) / COLLAPSED_PARTS;
	if (drain->limits.task < drain->limits.strand)
		drain->limits.task = drain->limits.strand;
	drain->limits.least = LEAST_EVENTS;
	drain->limits.final_tasks = atomic_load_explicit(&session->has_final, memory_order_relaxed);
	publish_limits(drain);
}

/* A round over all workers. */
struct taking {
	uint32_t n_workers, round;
	bool all;	   /* all of each worker; or the full chunks of those that are due */
	uint32_t n_due;	   /* workers to be taken */
	uint64_t n_events; /* of theirs */
	bool pending;	   /* of any worker */
	_Atomic bool took, behind; /* behind: something is left of a worker */
};

static bool is_due(struct drain *drain, const struct taking *taking, uint32_t i)
{
	struct worker *worker = drain->stream[i].worker;

	if (!worker)
		return false;
	return taking->all ? stream_untaken(drain, worker, i) : stream_is_due(drain, worker, i);
}

/* Finds out what there is to take. */
static void find_due(struct drain *drain, struct taking *taking)
{
	taking->n_workers = stream_find(drain, stream_workers(drain));
	for (uint32_t i = 0; i < taking->n_workers; i++) {
		struct stream *stream = &drain->stream[i];

		taking->pending |= stream->pending.n != 0;
		if (is_due(drain, taking, i)) {
			taking->n_due++;
			taking->n_events += stream_untaken(drain, stream->worker, i);
		}
	}
}

/* Takes the worker's chunks if they are due; in its first pass a thread leaves out those that were
 * taken in this round. */
static bool take_due(struct drain_thread *thread, struct taking *taking, uint32_t i, bool again)
{
	struct drain *drain = thread->drain;
	struct stream *stream = &drain->stream[i];
	uint64_t head;
	bool took;

	if ((!again && stream->round == taking->round) || !is_due(drain, taking, i))
		return false;
	stream->round = taking->round;
	head = atomic_load_explicit(&stream->worker->head, memory_order_acquire);
	took = stream_take(thread, stream, taking->all);
	if (chunk_before(stream->reached.number, head))
		atomic_store(&taking->behind, true);
	return took;
}

/* Each thread begins elsewhere, and goes on with what others have not taken when it gets there. */
static uint32_t begin_at(const struct drain_thread *thread, uint32_t n_workers)
{
	return (uint32_t)((uint64_t)n_workers * thread->index / thread->drain->threads.n);
}

/* One pass over all workers that no other thread has.  True if it took any. */
static bool take_pass(struct drain_thread *thread, struct taking *taking, bool again)
{
	const struct drain_threads *threads = &thread->drain->threads;
	uint32_t n = taking->n_workers, first = begin_at(thread, n);
	bool took = false;

	for (uint32_t k = 0; k < n && (!again || drain_threads_linger(threads)); k++) {
		uint32_t i = (first + k) % n;
		struct stream *stream = &thread->drain->stream[i];

		if (!stream_claim(stream))
			continue;
		took |= take_due(thread, taking, i, again);
		stream_leave(stream);
	}
	return took;
}

static void put_pending(struct drain_thread *thread, uint32_t n_workers)
{
	uint32_t first = begin_at(thread, n_workers);

	for (uint32_t k = 0; k < n_workers; k++) {
		uint32_t i = (first + k) % n_workers;
		struct stream *stream = &thread->drain->stream[i];

		if (!stream_claim(stream))
			continue;
		stream_put_pending(thread, stream);
		stream_leave(stream);
	}
}

static void take_on_thread(struct drain_thread *thread, const void *arg)
{
	struct taking *taking = (struct taking *)arg;
	struct drain_threads *threads = &thread->drain->threads;

	if (take_pass(thread, taking, false))
		atomic_store(&taking->took, true);
	if (taking->all) /* each worker is done, or with a thread that comes here afterwards */
		put_pending(thread, taking->n_workers);
	drain_threads_done(threads);
	while (!taking->all && drain_threads_linger(threads) && take_pass(thread, taking, true))
		;
}

/*
 * A full disk must not keep the trace from its end, which names what is missing.  Not if
 * `tptrace recover` can write all of it elsewhere.
 */
static void keep_room(struct drain *drain)
{
	bool elsewhere = drain->as_is || (drain->flight.max_bytes && !stream_is_early(drain));

	if (!drain->file.reserve_bytes && !elsewhere)
		drain->file.reserve_bytes = DRAIN_RESERVE_BYTES;
}

/* True if any chunk had events.  If none is left behind, all before `now` is in the file. */
static bool take_events(struct drain *drain, uint64_t now_ticks, bool all)
{
	struct taking taking = { .all = all, .round = ++drain->rounds.n };
	bool apart;

	find_due(drain, &taking);
	if (taking.n_due && file_ready(drain)) {
		keep_room(drain);
		finish_definitions(drain, NULL);
	}
	if (taking.n_due || (all && taking.pending)) {
		drain_threads_grow(drain, taking.n_workers,
				   drain->session->options.collector_threads);
		drain_threads_share(&drain->threads, taking.n_workers);
		apart = taking.pending || (taking.n_due > 1 && taking.n_events >= APART_EVENTS);
		drain_threads_run(&drain->threads, take_on_thread, &taking, apart);
	}
	if (all && !atomic_load(&taking.behind) && now_ticks > drain->rounds.watermark_ticks)
		drain->rounds.watermark_ticks = now_ticks;
	return atomic_load(&taking.took);
}

void drain_sample(struct drain *drain, cputimes_reader *reader, void *arg)
{
	drain->definitions.cputimes.reader = reader;
	drain->definitions.cputimes.arg = arg;
}

/* Once the trace has its size, no more of it counts. */
static void sample(struct drain *drain, uint64_t now_ns, bool at_end)
{
	struct cputimes *times = &drain->definitions.cputimes;
	struct definitions_stacks *stacks = &drain->definitions.stacks;
	uint32_t n_workers = stream_workers(drain);

	if (drain->full) {
		times->reader = NULL;
		*stacks = (struct definitions_stacks){ 0 };
	}
	if (stacks->take)
		stacks->pending = stacks->take(stacks->arg, drain->last);
	if (!times->reader || now_ns < (at_end ? times->sampled_ns + AGAIN_NS
					       : cputimes_due_ns(times, drain->session)))
		return;
	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			cputimes_sample_worker(times, i, worker, &drain->session->clock);
	}
	if (n_workers)
		cputimes_sample_process(times, &drain->session->clock);
	times->sampled_ns = now_ns;
}

uint64_t drain_rest_ns(const struct drain *drain)
{
	uint64_t most_ns = drain->file.fd < 0		    ? FIRST_NS
			   : drain->definitions.stacks.take ? STACKS_NS
							    : DRAIN_FLUSH_NS;
	uint64_t due_ns = cputimes_due_ns(&drain->definitions.cputimes, drain->session);
	uint64_t now_ns = clock_monotonic_ns();

	if (due_ns <= now_ns)
		return 0;
	return due_ns - now_ns < most_ns ? due_ns - now_ns : most_ns;
}

static uint64_t flush_blocks(const struct drain *drain)
{
	uint64_t n = FLUSH_WORKER * stream_workers(drain);

	return n < FLUSH_BLOCKS ? FLUSH_BLOCKS : n;
}

/* Whether the file has a lower watermark than it could: a round is complete up to its beginning,
 * but also takes what comes meanwhile. */
static bool is_behind(const struct drain *drain)
{
	return drain->rounds.newest_ticks > drain->rounds.written_ticks &&
	       drain->rounds.watermark_ticks > drain->rounds.written_ticks;
}

static void put_watermark(struct drain *drain, struct clock_pair now)
{
	finish_definitions(drain, &(struct watermark){ now, drain->rounds.watermark_ticks });
	drain->rounds.written_ticks = drain->rounds.watermark_ticks;
}

static bool do_round(struct drain *drain, enum drain_phase phase)
{
	struct clock_pair now = clock_pair(&drain->session->clock);
	bool all = phase != DRAIN_RUNNING || now.ns - drain->rounds.flushed_ns >= DRAIN_FLUSH_NS ||
		   drain->n_put - drain->rounds.n_flushed >= flush_blocks(drain);
	uint64_t n_blocks = drain->file.n_blocks;

	drain->last = phase == DRAIN_LAST;
	clock_samples_add(&drain->definitions.clock_samples, drain->session->clock.source,
			  drain->session->begin, now);
	if (drain->threads.at[0]->collapse && !drain->as_is)
		set_limits(drain, now);
	sample(drain, now.ns, phase != DRAIN_RUNNING);
	bool took = take_events(drain, now.ticks, all);

	if (gate_presses(drain->session) && drain->file.fd >= 0)
		finish_definitions(drain, NULL);
	else if (gate_presses(drain->session))
		definitions_take_marks(&drain->definitions, drain->last, NULL);

	took |= all && drain->file.n_blocks > n_blocks;
	if (took)
		drain->rounds.newest_ticks = clock_pair(&drain->session->clock).ticks;
	if (all) {
		drain->rounds.flushed_ns = now.ns;
		if (phase == DRAIN_RUNNING && drain->rounds.watermark_ticks &&
		    (took || is_behind(drain)))
			put_watermark(drain, now);
		else if ((drain->definitions.cputimes.n || drain->definitions.stacks.pending) &&
			 drain->file.fd >= 0 && phase == DRAIN_RUNNING)
			finish_definitions(drain, NULL);
		drain->rounds.n_flushed = drain->n_put;
	}
	return took;
}

/* The last round is not counted: the program is over, and loses no CPU time by it. */
bool drain_round(struct drain *drain, enum drain_phase phase)
{
	uint64_t begin_ns = drain_thread_cpu_ns();
	bool took = do_round(drain, phase);

	if (phase != DRAIN_LAST)
		drain->threads.at[0]->cpu_ns += drain_thread_cpu_ns() - begin_ns;
	return took;
}

void drain_settle(struct drain *drain, struct clock_pair end, enum drain_phase phase)
{
	after_end_open(drain, end.ticks);
	drain_round(drain, phase);
}

/*
 * A file of what the flight recorder has.  That of an earlier end, after which the program went
 * on, is there until this one is whole.
 */
static struct trace_file begin_flight(struct drain *drain, const struct clock_pair *end)
{
	struct trace_file earlier = drain->file, *file = &drain->file;

	unreserve(drain);
	if (path_create(file, drain->session, drain->part) == 0) {
		keep_room(drain);
		finish_flight(drain, file, end);
	} else if (earlier.fd >= 0) {
		earlier.error = file->error;
		earlier.err = file->err;
		trace_file_close(file);
		*file = earlier;
		earlier = (struct trace_file){ .fd = -1 };
	}
	return earlier;
}

void drain_end(struct drain *drain, struct clock_pair end, const char *how)
{
	struct trace_file earlier = { .fd = -1 };

	if (drain->flight.n && !drain->file.error)
		earlier = begin_flight(drain, &end);
	if (drain->file.fd < 0)
		return;
	if (!drain->flight.max_bytes)
		finish_definitions(drain, NULL); /* these stay if the end is taken back */
	if (trace_file_mark(&drain->file) < 0)
		return;
	test_point("end:marked");
	if (!drain->flight.max_bytes) {
		finish_dropped(drain, &drain->file, end.ticks >> drain->shift);
		finish_definitions(drain, &(struct watermark){ end, end.ticks });
	}
	finish_last(drain, end, how);
	test_point("end:last");
	trace_file_finish(&drain->file);
	test_point("end:whole");
	if (earlier.fd >= 0)
		path_replace(&drain->file, drain->session, &earlier);
}

int drain_flush(struct drain *drain, struct clock_pair now, struct err *err)
{
	take_events(drain, now.ticks, true);
	if (drain->file.error)
		return err_set(err, -drain->file.error, "%s", drain->file.err.text);
	if (drain->flight.max_bytes ? drain->flight.n == 0 : drain->file.fd < 0)
		return err_set(err, ENODATA, "nothing was recorded yet");
	put_watermark(drain, now);
	return 0;
}

int drain_snapshot(struct drain *drain, char *path, size_t room, struct err *err)
{
	struct clock_pair now = clock_pair(&drain->session->clock);
	int error = drain_flush(drain, now, err);

	if (error)
		return error;
	do {
		drain->n_snapshots++;
		error = path_snapshot(path, room, drain->session, drain->n_snapshots, err);
		if (!error)
			error = finish_snapshot(drain, path, &now, err);
	} while (error == -EEXIST && drain->n_snapshots < 1000);
	return error;
}

void drain_close(struct drain *drain)
{
	trace_file_close(&drain->file);
	unreserve(drain);
	drain_threads_close(&drain->threads);
	for (uint32_t i = 0; i < drain->n_streams; i++)
		pending_free(&drain->stream[i].pending);
	free(drain->stream);
	flight_free(&drain->flight);
	definitions_free(&drain->definitions);
	free(drain->lines.text);
	after_end_free(&drain->after_end);
	*drain = (struct drain){ .file.fd = -1 };
}
