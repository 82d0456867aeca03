/* SPDX-License-Identifier: MIT */
/*
 * streams.c - how fast the collector takes the rings of many workers, with one thread or more.
 *
 *	streams full|collapsed|thinned TRACE WORKERS THREADS ROUNDS OUTPUT
 *		"ns_per_event N cpu_ns_per_event N taken_of_1000 N events N bytes N threads N"
 *
 * Each worker plays a stream of TRACE, a trace in full, over and over, into a ring of the usual
 * size.  A round fills all rings, untimed, by SLICES slices at most; then the collector takes what
 * is there, timed: by the clock, and the processor time of all threads.  An event is one that a
 * worker recorded; of these, taken_of_1000 came to a ring.  full: as with TPTRACE_COLLAPSE=off.
 * collapsed: the collector collapses all that it can.  thinned: workers collapse before
 * (preload/worker.c), whose time does not count here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "collector/drain/thinner.h"
#include "tools/trace/reader.h"
#include "test/bench/median.h"
#include "test/bench/now.h"
#include "test/bench/recorded.h"
#include "test/lib/rings.h"

#define SLOTS 65536u		     /* as with 1 MiB, the usual size */
#define NEVER_NS (UINT64_C(1) << 40) /* no strand of these traces takes so long */
#define SLICES 16 /* that a worker plays in a round, at most */
#define ROUNDS_MAX 1000

enum how { FULL, COLLAPSED, THINNED, HOWS };

/* The recorded events of a worker. */
struct stream_read {
	struct recorded of;
	uint64_t n_ids;
	uint64_t units; /* that they take */
};

/* A worker that plays one of them. */
struct player {
	const struct stream_read *read;
	uint64_t at, n_ids, ticks; /* the next event; what was before the stream's present turn */
	uint64_t n_made;	   /* ids given out before the next event */
};

struct play {
	enum how how;
	struct stream_read *read;
	uint32_t n_read;
	struct rings rings;
	struct player *player;
	struct thinner *thinner;
	uint64_t n_events, n_taken;
};

static int fail(const char *what)
{
	fprintf(stderr, "streams: %s\n", what);
	return 1;
}

/* ---- what was recorded ---- */

static bool add(struct stream_read *read, const struct event *event)
{
	if (!recorded_add(&read->of, event))
		return false;
	read->n_ids += event->made != 0;
	if (event->units + 1 > read->units)
		read->units = event->units + 1;
	return true;
}

static bool read_all(struct play *play, const struct reader *reader, struct err *err)
{
	play->read = calloc(play->n_read, sizeof(*play->read));
	for (uint32_t w = 0; play->read && w < play->n_read; w++) {
		struct cursor cursor;
		const struct event *event;
		int got;

		cursor_open(&cursor, reader, w);
		while ((got = cursor_next(&cursor, &event, err)) > 0)
			if (!add(&play->read[w], event)) {
				got = err_set(err, ENOMEM, "out of memory");
				break;
			}
		cursor_close(&cursor);
		if (got < 0 || !play->read[w].of.n)
			return false;
	}
	return play->read;
}

/* ---- who plays it ---- */

/* Workers of the trace are played by as many neighbours; an id's number counts from its turn on. */
static uint64_t id_of(const struct play *play, uint32_t worker, uint64_t id)
{
	uint32_t other = (uint32_t)id_worker(id), w = worker - worker % play->n_read + other;

	if (id == 0 || other >= play->n_read || w >= play->rings.n)
		return id;
	return id_make(w, id_n(id) + play->player[w].n_ids);
}

static struct wire_event next_event(struct play *play, uint32_t worker)
{
	struct player *player = &play->player[worker];
	const struct stream_read *read = player->read;
	struct wire_event event = read->of.event[player->at];
	unsigned kind = event_kind(&event);

	if (kind_operand(kind) == OPERAND_ID)
		event.b = id_of(play, worker, event.b);
	player->n_made = ids_after(kind, event.b, player->n_made);
	if (kind_timed(kind))
		event.a += player->ticks << 8;
	if (++player->at == read->of.n) {
		player->at = 0;
		player->n_ids += read->n_ids;
		player->ticks += read->units;
	}
	return event;
}

static void fill(struct play *play, uint32_t w)
{
	struct worker *worker = play->rings.worker[w];
	static struct wire_event raw[CHUNK_EVENTS], thin[CHUNK_EVENTS];

	for (int k = 0; k < SLICES && rings_room(worker) >= 2 * CHUNK_EVENTS; k++) {
		struct slice source = { .slot = raw,
					      .n = CHUNK_EVENTS,
					      .worker = w,
					      .n_ids = play->player[w].n_made };
		uint32_t n = 0;

		for (uint32_t i = 0; i < CHUNK_EVENTS; i++)
			raw[i] = next_event(play, w);
		if (play->how == THINNED) {
			n = thinner_run(play->thinner, play->rings.session, &source, thin);
		}
		if (n)
			rings_put_thinned(worker, thin, n, CHUNK_EVENTS);
		else
			rings_put(worker, raw, CHUNK_EVENTS);
		play->n_events += CHUNK_EVENTS;
		play->n_taken += n ? n : CHUNK_EVENTS;
	}
}

static uint64_t process_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int measure(struct play *play, struct drain *drain, int n_rounds)
{
	double ns[ROUNDS_MAX], cpu_ns[ROUNDS_MAX];
	uint64_t n_events = 0, n_taken = 0;

	for (int round = -1; round < n_rounds; round++) { /* the first warms up */
		play->n_events = play->n_taken = 0;
		for (uint32_t w = 0; w < play->rings.n; w++)
			fill(play, w);
		uint64_t began_ns = now_ns(), began_cpu_ns = process_ns();

		while (drain_round(drain, DRAIN_RUNNING))
			;
		drain_round(drain, DRAIN_ALL);
		if (round < 0)
			continue;
		ns[round] = (double)(now_ns() - began_ns) / (double)play->n_events;
		cpu_ns[round] = (double)(process_ns() - began_cpu_ns) / (double)play->n_events;
		n_events += play->n_events;
		n_taken += play->n_taken;
	}
	if (drain->file.error)
		return fail(drain->file.err.text);
	printf("ns_per_event %.4f cpu_ns_per_event %.4f taken_of_1000 %.2f events %llu bytes %llu "
	       "threads %u\n",
	       median(ns, n_rounds), median(cpu_ns, n_rounds),
	       1000 * (double)n_taken / (double)n_events, (unsigned long long)n_events,
	       (unsigned long long)drain->file.bytes, drain->threads.n);
	return 0;
}

static int play_all(struct play *play, uint32_t n_workers, uint32_t n_threads, int n_rounds,
		    const char *output)
{
	struct drain drain = { .file.fd = -1 };
	int status;

	if (!rings_open(&play->rings, n_workers, SLOTS, output))
		return fail("out of memory");
	struct session *session = play->rings.session;

	session->options.collector_threads = n_threads;
	session->options.collapse_ns = play->how == FULL ? 0 : NEVER_NS;
	atomic_store(&session->thin_strand, NEVER_NS);
	atomic_store(&session->thin_task, NEVER_NS);
	atomic_store(&session->n_sites, 64);
	play->player = calloc(n_workers, sizeof(*play->player));
	play->thinner = aligned_alloc(64, thinner_bytes());
	if (play->thinner)
		memset(play->thinner, 0, thinner_bytes());
	if (!play->player || !play->thinner ||
	    drain_open(&drain, session, rings_worker, &play->rings) < 0)
		return fail("out of memory");
	drain_use_threads(&drain, &rings_threads);
	for (uint32_t w = 0; w < n_workers; w++)
		play->player[w].read = &play->read[w % play->n_read];
	status = measure(play, &drain, n_rounds);
	drain_close(&drain);
	free(play->player);
	free(play->thinner);
	rings_close(&play->rings);
	return status;
}

int main(int argc, char **argv)
{
	static const char *const name[HOWS] = { "full", "collapsed", "thinned" };
	struct play play = { .how = FULL };
	struct reader *reader = NULL;
	struct err err = { 0 };
	int status;

	while (argc == 7 && play.how < HOWS && strcmp(argv[1], name[play.how]) != 0)
		play.how++;
	int n_rounds = argc == 7 ? atoi(argv[5]) : 0;

	if (argc != 7 || play.how == HOWS || n_rounds < 1 || n_rounds > ROUNDS_MAX)
		return 2;
	if (reader_open(&reader, argv[2], &err) < 0)
		return fail(err.text);
	play.n_read = reader_facts(reader)->n_workers;
	status = !play.n_read || !read_all(&play, reader, &err)
			 ? fail(err.text[0] ? err.text : "no events in it")
			 : play_all(&play, (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]),
				    n_rounds, argv[6]);
	for (uint32_t w = 0; play.read && w < play.n_read; w++)
		free(play.read[w].of.event);
	free(play.read);
	reader_close(reader);
	return status;
}
