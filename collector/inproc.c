/* SPDX-License-Identifier: MIT */
/*
 * inproc.c - the collector as a thread of the traced process.
 *
 * It sleeps until a ring is half full or a while has passed, takes what is there, and appends
 * it to the trace file.  All compression and all writing happen on this thread.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "collector/describe.h"
#include "collector/encode.h"
#include "collector/file.h"
#include "collector/path.h"
#include "preload/libc.h"
#include "preload/session.h"
#include "preload/worker.h"

#define FLUSH_NS 200000000u /* nothing stays in a ring for longer than this, */
#define FLUSH_BLOCKS 4u	    /* or while so many blocks are written */
#define BLOCK_EVENTS 32768u /* a block is about so large, if there is so much to take */
#define STEP_EVENTS 2048u
#define STACK_BYTES (512u << 10)

struct stream {
	uint64_t last_units, n_ids;
	uint32_t seqno;
};

struct collector {
	pthread_t thread;
	bool has_thread;
	_Atomic bool stopping;
	struct encoder *encoder;
	struct trace_file file;
	struct describe described;
	uint32_t shift;
	uint64_t begin_units;
	uint64_t n_tasks;
	uint64_t flushed_ns, flushed_blocks; /* when all rings were taken last */
	struct stream *stream;		     /* by worker */
	uint32_t n_streams;
};

static struct collector the_collector = { .file.fd = -1 };

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	char line[600];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* there is nobody left to tell */
}

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

static struct stream *stream_of(struct collector *c, uint32_t worker)
{
	if (worker >= c->n_streams) {
		uint32_t n = (worker + 64) & ~63u;
		struct stream *stream = realloc(c->stream, n * sizeof(*stream));

		if (!stream)
			return NULL;
		c->stream = stream;
		while (c->n_streams < n)
			stream[c->n_streams++] = (struct stream){ .last_units = c->begin_units };
	}
	return &c->stream[worker];
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
static uint32_t pack(struct collector *c, struct worker *worker, struct encode_source *source,
		     int *error)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint32_t n_packed = 0;

	while (n_packed < BLOCK_EVENTS && !*error) {
		uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);
		uint64_t n = head - tail < STEP_EVENTS ? head - tail : STEP_EVENTS;

		if (n == 0 || (n_packed && n < STEP_EVENTS / 4))
			break;
		source->first = tail;
		source->n = (uint32_t)n;
		*error = encode_add(c->encoder, source);
		tail += n;
		n_packed += (uint32_t)n;
		release(worker, tail);
	}
	return n_packed;
}

static void put_block(struct collector *c, struct worker *worker, struct stream *stream)
{
	struct wire_block block = { .worker = worker->index, .seqno = stream->seqno };
	struct encode_source source = { .slot = worker->slot,
					.mask = worker->mask,
					.shift = c->shift,
					.last_units = stream->last_units,
					.n_ids = stream->n_ids };
	const void *body;
	int error = 0;

	encode_begin(c->encoder, &source, worker->index);
	if (pack(c, worker, &source, &error) == 0)
		return;
	if (!error)
		error = encode_end(c->encoder, &source, &block, &body);
	if (error) {
		trace_file_fail(&c->file, -error, "cannot pack events");
		return;
	}
	stream->last_units = source.last_units;
	stream->n_ids = source.n_ids;
	stream->seqno++;
	c->n_tasks += source.n_tasks;
	trace_file_put(&c->file, &block, body);
}

/* Takes a worker's events if there are at least n_least.  True if it took any. */
static bool drain(struct collector *c, struct worker *worker, uint64_t n_least)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);
	struct stream *stream = stream_of(c, worker->index);

	if (head - tail < n_least)
		return false;
	if (!stream || c->file.error)
		release(worker, head);
	else
		put_block(c, worker, stream);
	return true;
}

/* What is new of the program; and, unless NULL, that all up to that instant is in the file. */
static void put_definitions(struct collector *c, struct session *session,
			    const struct clock_pair *whole, bool last)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	describe_new(&c->described, session, c->shift, out);
	if (whole)
		describe_whole(*whole, c->shift, out);
	if (last)
		fprintf(out, "meta lost_events %llu\nmeta ended cleanly\n",
			(unsigned long long)describe_lost(session));
	fclose(out);
	trace_file_put_defs(&c->file, text, bytes);
	free(text);
}

/* The file is made when there is something to write: empty processes leave none. */
static bool file_ready(struct collector *c, struct session *session)
{
	if (c->file.fd >= 0)
		return true;
	if (c->file.error)
		return false;
	if (path_create(&c->file, session->pid) < 0) {
		say("tptrace: %s; nothing is recorded", c->file.err.text);
		return false;
	}
	c->shift = choose_shift(session);
	c->begin_units = session->begin.ticks >> c->shift;
	return true;
}

/* Takes what is in the rings that are a quarter full, or, from time to time, in all. */
static bool round_of(struct collector *c, struct session *session)
{
	uint32_t n_workers = atomic_load_explicit(&session->n_workers, memory_order_acquire);
	struct clock_pair now = clock_pair(session->clock);
	bool all = now.ns - c->flushed_ns >= FLUSH_NS || atomic_load(&c->stopping) ||
		   c->file.n_blocks - c->flushed_blocks >= FLUSH_BLOCKS;
	bool failed = c->file.error != 0;
	bool took = false;

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = atomic_load(&session->worker[i]);
		uint64_t n_least = all ? 1 : (worker->mask + 1) / 4;

		if (atomic_load(&worker->head) - atomic_load(&worker->tail) < n_least)
			continue;
		if (file_ready(c, session) && !took)
			put_definitions(c, session, NULL, false);
		took |= drain(c, worker, n_least);
	}
	if (all) {
		c->flushed_ns = now.ns;
		if (took && !atomic_load(&c->stopping))
			put_definitions(c, session, &now, false);
		c->flushed_blocks = c->file.n_blocks;
	}
	if (c->file.error && !failed && c->file.fd >= 0)
		say("tptrace: %s; what was recorded until now is kept", c->file.err.text);
	return took;
}

static void *collector_run(void *arg)
{
	struct collector *c = arg;
	struct session *session = session_get();

	prctl(PR_SET_NAME, "tptrace");
	for (;;) {
		uint32_t wake = atomic_load_explicit(&session->wake, memory_order_acquire);
		bool stopping = atomic_load(&c->stopping);

		if (round_of(c, session))
			continue;
		if (stopping)
			return NULL;
		futex_wait(&session->wake, wake, FLUSH_NS);
	}
}

int collector_start(struct session *session)
{
	struct collector *c = &the_collector;
	pthread_attr_t attr;
	sigset_t all, before;
	int error;

	(void)session;
	atomic_store(&c->stopping, false);
	c->flushed_ns = clock_monotonic_ns();
	c->encoder = encoder_new();
	if (!c->encoder) {
		say("tptrace: out of memory; nothing is recorded");
		return -ENOMEM;
	}
	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	libc.thread_sigmask(SIG_SETMASK, &all, &before);
	error = libc.thread_create(&c->thread, &attr, collector_run, c);
	libc.thread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	c->has_thread = error == 0;
	if (error)
		say("tptrace: cannot start a thread: %s; nothing is recorded", strerror(error));
	return -error;
}

static void say_done(struct collector *c, struct session *session)
{
	const char *verbose = getenv("TPTRACE_VERBOSE");
	uint64_t lost = describe_lost(session);
	bool quiet = verbose && *verbose ? strcmp(verbose, "0") == 0 : !isatty(STDERR_FILENO);

	if (c->file.error || (quiet && lost == 0))
		return;
	if (lost)
		say("tptrace: %s: %llu events, and %llu lost because a ring was full", c->file.path,
		    (unsigned long long)c->file.n_events, (unsigned long long)lost);
	else
		say("tptrace: %s: %llu events of %llu tasks; read it with tptrace-report",
		    c->file.path, (unsigned long long)c->file.n_events,
		    (unsigned long long)c->n_tasks);
}

void collector_stop(struct session *session)
{
	struct collector *c = &the_collector;

	atomic_store(&c->stopping, true);
	session_wake_collector(session);
	if (c->has_thread)
		libc.thread_join(c->thread, NULL);
	c->has_thread = false;
	if (c->file.fd >= 0) {
		put_definitions(c, session, &session->end, true);
		trace_file_finish(&c->file);
		say_done(c, session);
	}
	trace_file_close(&c->file);
}

/* The parent's thread is not here, nor is its memory ours to free: malloc may be torn. */
void collector_abandon(struct session *session)
{
	(void)session;
	if (the_collector.file.fd >= 0)
		close(the_collector.file.fd);
	memset(&the_collector, 0, sizeof(the_collector));
	the_collector.file.fd = -1;
}

void collector_absent(void)
{
	const char *launched = getenv("TPTRACE_LAUNCHED");

	if (launched && strtol(launched, NULL, 10) == (long)getpid())
		say("tptrace: no task of a runtime that tptrace knows was seen; nothing is "
		    "recorded (see `tptrace record --help`)");
}
