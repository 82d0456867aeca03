/* SPDX-License-Identifier: MIT */
/*
 * chunk_race.c - a worker fills and thins its chunks, and its collector takes them, under
 * -fsanitize=thread; either loses its CPU at any point of it (collector/session/point.h) while the
 * other goes on.
 *
 * The worker's events bear numbers.  What is thinned lacks those that is_kept() is not for; all
 * others are in the trace once and in order, and in each snapshot up to what had been made when it
 * was asked for.  Exit status 0, or 1 and what came out wrong; the tool's own reports end it with
 * 66.
 */
#include "preload/record.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/drain.h"
#include "tools/trace/reader.h"
#include "preload/session.h"
#include "collector/session/chunk.h"
#include "collector/session/point.h"
#include "test/lib/collector.h"

#define LOOKS_MOST 1000000u /* for what does not come; on a busy machine each takes longer */
#define TIMES 3u	    /* rounds after each case */

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Who stops where, and until what.  Relaxed, all: a test that orders the threads hides races. */
struct stop {
	const char *_Atomic at; /* NULL: nowhere */
	_Atomic bool stands, goes;
};
static struct stop worker_stop, collector_stop;
static const char *_Atomic seen_at; /* a point that somebody waits for .. */
static _Atomic uint32_t n_seen;	    /* .. and how often it was passed */
static _Atomic uint32_t n_full;	    /* times that the worker waits for room */
static __thread bool collects;
static _Atomic bool enough;
static _Atomic uint64_t n_made, n_wanted = CHUNK_EVENTS;
static struct drain drain;
static const char *path;
static unsigned n_wrong;

static bool is_kept(uint64_t number)
{
	return number % 4 != 3;
}

static void wrong(const char *what, const char *where, const char *also)
{
	printf("%s: the worker at %s, the collector at %s\n", what, where, also ? also : "none");
	n_wrong++;
}

/* Whether to look once more. */
static bool is_patient(uint32_t *n_looks)
{
	usleep(100);
	return ++*n_looks < LOOKS_MOST;
}

static void wait_for(_Atomic bool *is, const char *where)
{
	uint32_t n_looks = 0;

	while (!atomic_load_explicit(is, memory_order_relaxed))
		if (!is_patient(&n_looks))
			return wrong("nobody lets it go", where, NULL);
}

static void stop_at(struct stop *stop, const char *at)
{
	atomic_store_explicit(&stop->goes, false, memory_order_relaxed);
	atomic_store_explicit(&stop->at, at, memory_order_relaxed);
}

static bool is_at(const char *_Atomic *at, const char *name)
{
	const char *wanted = atomic_load_explicit(at, memory_order_relaxed);

	return wanted && strcmp(wanted, name) == 0;
}

/* The worker may go on, and has passed that point so often; or its ring is full. */
static void let_pass(const char *name, uint32_t n)
{
	uint32_t n_looks = 0;

	atomic_store_explicit(&n_seen, 0, memory_order_relaxed);
	atomic_store_explicit(&seen_at, name, memory_order_relaxed);
	atomic_store_explicit(&worker_stop.goes, true, memory_order_relaxed);
	while (atomic_load_explicit(&n_seen, memory_order_relaxed) < n) {
		if (!is_patient(&n_looks))
			return wrong("the worker does not get on", name, NULL);
		atomic_fetch_add_explicit(&n_wanted, CHUNK_EVENTS, memory_order_relaxed);
	}
	atomic_store_explicit(&seen_at, NULL, memory_order_relaxed);
}

void test_point(const char *name)
{
	struct stop *stop = collects ? &collector_stop : &worker_stop;

	if (!collects && strcmp(name, "full:waits") == 0)
		atomic_fetch_add_explicit(&n_full, 1, memory_order_relaxed);
	if (!collects && (is_at(&seen_at, name) || strcmp(name, "full:waits") == 0))
		atomic_fetch_add_explicit(&n_seen, 1, memory_order_relaxed);
	if (!is_at(&stop->at, name))
		return;
	atomic_store_explicit(&stop->at, NULL, memory_order_relaxed);
	atomic_store_explicit(&stop->stands, true, memory_order_relaxed);
	if (!collects)
		wait_for(&stop->goes, name);
	else
		let_pass("chunk:begun", 2); /* so that it has come round, where it can */
	atomic_store_explicit(&stop->stands, false, memory_order_relaxed);
}

/* ---- the collector ---- */

static size_t half_bytes(void)
{
	return 64;
}

static uint32_t half(struct thinner *thinner, const struct session *session, struct slice *source,
		     struct wire_event *out)
{
	uint32_t n = 0;

	(void)thinner;
	(void)session;
	for (uint32_t i = 0; i < source->n; i++) {
		const struct wire_event *event = &source->slot[i];

		if (event_kind(event) != WIRE_SIGNAL || is_kept(event->b))
			out[n++] = *event;
	}
	return n;
}

static int start(struct session *session)
{
	session->pending_slots = PENDING_SLOTS;
	session->process.affinity = 1; /* so that workers thin */
	session->process.quiet = 1;
	session->process.output = session_keep(session, path);
	return 0;
}

static struct worker *worker_at(void *arg, uint32_t index)
{
	(void)arg;
	return session_worker(index);
}

/* ---- the worker ---- */

static void *make(void *unused)
{
	struct worker *worker = record_worker();

	(void)unused;
	for (uint64_t i = 0; worker && !atomic_load_explicit(&enough, memory_order_relaxed); i++) {
		while (i >= atomic_load_explicit(&n_wanted, memory_order_relaxed))
			usleep(100);
		uint64_t lost = atomic_load_explicit(&worker->lost, memory_order_relaxed);

		record_event(worker, WIRE_SIGNAL, i);
		if (atomic_load_explicit(&worker->lost, memory_order_relaxed) == lost)
			atomic_store_explicit(&n_made, i + 1, memory_order_relaxed);
	}
	return NULL;
}

/* ---- what must hold ---- */

/* The file has all events below `n` that it must have, once and in order. */
static void check_file(const char *file, uint64_t n, const char *where, const char *also)
{
	const struct event *event;
	struct cursor cursor;
	struct reader *reader;
	struct err err;
	uint64_t next = 0;
	int got;

	if (reader_open(&reader, file, &err) < 0)
		return wrong(err.text, where, also);
	cursor_open(&cursor, reader, 0);
	while ((got = cursor_next(&cursor, &event, &err)) > 0) {
		if (event->kind != WIRE_SIGNAL)
			continue;
		for (; next < event->b; next++)
			if (is_kept(next))
				break;
		if (next != event->b)
			break;
		next++;
	}
	while (next < n && !is_kept(next))
		next++;
	if (got)
		printf("event %llu is missing, or comes twice: ", (unsigned long long)next);
	else if (next < n)
		printf("events end at %llu of %llu: ", (unsigned long long)next,
		       (unsigned long long)n);
	if (got || next < n)
		wrong(file, where, also);
	cursor_close(&cursor);
	reader_close(reader);
}

static void drain_all(void)
{
	atomic_fetch_add(&session_get()->beat, 1);
	drain_round(&drain, DRAIN_ALL);
}

static bool stands(void)
{
	return atomic_load_explicit(&worker_stop.stands, memory_order_relaxed);
}

/* Whether it stands, or has no room or no more to make. */
static bool has_come(uint32_t before)
{
	return stands() || atomic_load_explicit(&n_full, memory_order_relaxed) != before ||
	       atomic_load_explicit(&n_made, memory_order_relaxed) >=
		       atomic_load_explicit(&n_wanted, memory_order_relaxed);
}

/* Until the worker stands. */
static bool wait_at(const char *where)
{
	uint32_t n_looks = 0;

	while (is_patient(&n_looks)) {
		uint32_t before = atomic_load_explicit(&n_full, memory_order_relaxed);

		atomic_fetch_add_explicit(&n_wanted, 2 * CHUNK_EVENTS, memory_order_relaxed);
		while (!has_come(before) && is_patient(&n_looks))
			;
		if (stands())
			return true;
		drain_all();
	}
	wrong("the worker does not come", where, NULL);
	return false;
}

/* A snapshot, and an end that is taken back, while the worker stands there.  Whether the collector
 * came to its point: there may be nothing left to take. */
static bool check_pair(const char *where, const char *also)
{
	bool passed;

	char snapshot[256];
	struct err err;
	uint64_t n;

	stop_at(&worker_stop, where);
	if (!wait_at(where))
		return false;
	n = atomic_load_explicit(&n_made, memory_order_relaxed);
	stop_at(&collector_stop, also);
	if (drain_snapshot(&drain, snapshot, sizeof(snapshot), &err) < 0) {
		wrong(err.text, where, also);
	} else {
		check_file(snapshot, n, where, also);
		unlink(snapshot);
	}
	if (!atomic_load_explicit(&worker_stop.goes, memory_order_relaxed)) {
		struct clock_pair end = clock_pair(&session_get()->clock);

		drain_settle(&drain, end, DRAIN_ALL);
		drain_end(&drain, end, "cleanly");
		check_file(path, n, where, also);
	}
	passed = !also || !is_at(&collector_stop.at, also);
	stop_at(&collector_stop, NULL);
	atomic_store_explicit(&worker_stop.goes, true, memory_order_relaxed);
	while (stands())
		usleep(100);
	drain_all();
	return passed;
}

int main(int argc, char **argv)
{
	static const char *const points[] = { "chunk:thinned", "chunk:replaced", "chunk:dropped",
					      "chunk:ends",    "chunk:full",	 "chunk:begun" };
	static const char *const others[] = { NULL, "chunk:seen", "chunk:pinned", "take:noted",
					      "take:moved" };
	static struct collector collector;
	struct clock_pair end;
	pthread_t thread;
	uint64_t n;

	setenv("TPTRACE_BUFFER", "1M", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	path = argc > 1 ? argv[1] : "chunk_race.tpt";
	unlink(path);
	collects = true;
	collector = idle_collector;
	collector.start = start;
	collector.thin = half;
	collector.thinner_bytes = half_bytes;
	session_give(&collector);
	if (!session_start() || drain_open(&drain, session_get(), worker_at, NULL) < 0 ||
	    pthread_create(&thread, NULL, make, NULL))
		abort();
	while (drain.file.fd < 0)
		drain_all();
	for (unsigned o = 0; o < N(others); o++) {
		bool passed = false;

		for (unsigned p = 0; p < N(points); p++)
			passed |= check_pair(points[p], others[o]);
		if (!passed)
			wrong("a point is not passed", "any", others[o]);
	}

	stop_at(&worker_stop, "chunk:replaced"); /* and there it stays, while the trace ends */
	wait_at("chunk:replaced");
	n = atomic_load_explicit(&n_made, memory_order_relaxed);
	end = clock_pair(&session_get()->clock);
	session_shut_down(session_get(), end);
	drain_settle(&drain, end, DRAIN_LAST);
	drain_end(&drain, end, "cleanly");
	drain_close(&drain);
	check_file(path, n, "chunk:replaced", "the end");
	atomic_store_explicit(&enough, true, memory_order_relaxed);
	atomic_store_explicit(&n_wanted, UINT64_MAX, memory_order_relaxed);
	atomic_store_explicit(&worker_stop.goes, true, memory_order_relaxed);
	pthread_join(thread, NULL);
	return n_wrong != 0;
}
