/* SPDX-License-Identifier: MIT */
/*
 * drain_thread_test.c - many workers' rings, taken by one thread or several: each event is in the
 * trace once, in its worker's order, and each collapsed task is tallied at its site.
 */
#include "collector/drain/drain.h"
#include "collector/drain/successor.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test/lib/test.h"

#include "collector/trace/operand.h"
#include "tools/trace/reader.h"
#include "test/lib/rings.h"

#define WORKERS 37u
#define SLOTS 1024u
#define TREES 12u
#define LEAVES 60u
#define LONG_S 1000
#define TASK_EVENTS 6u
#define TASKS (1 + TREES * (1 + LEAVES)) /* of a worker */
#define MANY_SITES 3072u

static char path[64];
static struct rings rings;
static struct drain drain;

/* The machine has been on for LONG_S, and as long as it has. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_MONOTONIC)
		now->tv_sec += LONG_S;
	return result;
}

/* One worker's stream: trees of a task and its leaves, one after the other, all on the worker. */
struct made {
	struct wire_event event[TASK_EVENTS * TASKS];
	uint32_t n, n_put;
	uint64_t ticks, n_ids;
	uint64_t n_ids_put; /* of the events that are put */
} * made;

static void add(struct made *m, unsigned kind, uint64_t b)
{
	m->ticks += 100;
	m->event[m->n++] = (struct wire_event){ event_at(m->ticks, kind), b };
}

/* Its maker waits for the task at once. */
static uint64_t begin_task(struct made *m, uint32_t worker, uint64_t maker, uint64_t site)
{
	uint64_t id = id_make(worker, ++m->n_ids);

	add(m, WIRE_CREATE, site);
	add(m, WIRE_RESUME, maker);
	add(m, WIRE_WAIT, site | (uint64_t)WIRE_WAIT_CHILDREN << 32);
	add(m, WIRE_BEGIN, id);
	return id;
}

static void end_task(struct made *m, uint64_t maker)
{
	add(m, WIRE_END, 0);
	add(m, WIRE_RESUME, maker);
}

static void make_stream(struct made *m, uint32_t worker, uint32_t n_sites)
{
	*m = (struct made){ .ticks = rings.session->begin.ticks + worker, .n_ids = 1 };
	add(m, WIRE_ROOT, 0);
	for (uint32_t t = 0; t < TREES; t++) {
		uint64_t site = 1 + (worker * TREES + t) % n_sites, root = id_make(worker, 1);
		uint64_t tree = begin_task(m, worker, root, site);

		for (uint32_t i = 0; i < LEAVES; i++) {
			begin_task(m, worker, tree,
				   1 + ((worker * TREES + t) * LEAVES + i) % n_sites);
			end_task(m, tree);
		}
		end_task(m, root);
	}
}

/* What a run is of. */
struct run {
	uint32_t n_threads, n_sites;
	bool collapses, keeps; /* keeps: with a flight recorder, which throws nothing away */
	bool thins;	       /* the workers collapse what they put, into a chunk of its own */
	bool dies;	       /* the collector, now and then; its memory is that of the program */
};

/* Puts events as a worker leaves them that thins its chunks.  How many; 0 if no chunk is free. */
static uint32_t put_thinned(struct collapse *collapse, uint32_t w, uint32_t n)
{
	static const struct collapse_limits limits = { .strand = UINT64_C(1) << 40,
						       .task = UINT64_C(1) << 40,
						       .least = WIRE_COLLAPSED_FIELDS };
	static struct wire_event thinned[SLOTS];
	struct made *m = &made[w];
	struct slice source = {
		.slot = &m->event[m->n_put], .n = n, .worker = w, .n_ids = m->n_ids_put
	};
	uint32_t n_left;

	if (n == 0 || rings_room(rings.worker[w]) < SLOTS / 2)
		return 0;
	n_left = collapse_run(collapse, &source, &limits, thinned);
	assert_in_range(n_left, 1, SLOTS / 4);
	rings_put_thinned(rings.worker[w], thinned, n_left, n);
	m->n_ids_put = source.n_ids;
	return n;
}

/* A collector begins; after the first, one goes on where the one before died. */
static void begin_drain(bool is_first)
{
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	if (!is_first)
		successor_open(&drain, NULL, 0);
	drain_use_threads(&drain, &rings_threads);
}

/* Fills the rings as they are taken, until all is in the trace. */
static void record(const struct run *run)
{
	struct collapse *collapse = collapse_new();
	bool more = true;
	uint32_t n_rounds = 0;

	assert_non_null(collapse);
	unlink(path);
	assert_true(rings_open(&rings, WORKERS, SLOTS, path));
	rings.session->options.collapse_ns = run->collapses ? UINT64_C(1) << 40 : 0;
	rings.session->options.collector_threads = run->n_threads;
	rings.session->options.keep_last = run->keeps;
	rings.session->options.max_bytes = run->keeps ? UINT64_C(1) << 30 : 0;
	rings.session->process.ring = run->dies;
	atomic_store(&rings.session->n_sites, run->n_sites);
	begin_drain(true);
	for (uint32_t w = 0; w < WORKERS; w++)
		make_stream(&made[w], w, run->n_sites);
	while (more) {
		more = false;
		for (uint32_t w = 0; w < WORKERS; w++) {
			struct made *m = &made[w];
			uint64_t n = rings_room(rings.worker[w]);

			n = n < m->n - m->n_put ? n : m->n - m->n_put;
			n = n > 800 + 5 * w ? 800 + 5 * w : n; /* trees, and parts of some */
			if (run->thins)
				n = put_thinned(collapse, w, (uint32_t)n);
			else
				rings_put(rings.worker[w], &m->event[m->n_put], n);
			m->n_put += (uint32_t)n;
			more |= m->n_put < m->n;
		}
		drain_round(&drain, DRAIN_RUNNING);
		if (run->dies && ++n_rounds % 2 == 0) { /* the first writes all that is pending */
			drain_close(&drain);
			begin_drain(false);
		}
	}
	assert_true(run->dies || drain.threads.n == run->n_threads);
	drain_settle(&drain, clock_pair(&rings.session->clock), DRAIN_LAST);
	drain_end(&drain, clock_pair(&rings.session->clock), "cleanly");
	assert_int_equal(drain.file.error, 0);
	drain_close(&drain);
	rings_close(&rings);
	collapse_free(collapse);
}

/* ---- what the trace has ---- */

static uint64_t n_created; /* tasks whose creation is there */
static uint64_t n_tallied; /* .. and those that are collapsed, by their tallies; */
static uint64_t n_below;   /* by their records */

static void read_worker(const struct reader *reader, uint32_t w, const struct run *run)
{
	struct cursor cursor;
	const struct event *event;
	struct err err;
	uint32_t i = 0, n_blocks = 0;

	cursor_open(&cursor, reader, w);
	while (cursor_next(&cursor, &event, &err) > 0) {
		if (n_blocks != cursor.next_block) /* each block has the tallies of its records */
			assert_int_equal(n_below, n_tallied);
		n_blocks = cursor.next_block;
		n_created += event->kind == WIRE_CREATE;
		if (event->kind == WIRE_COLLAPSED)
			n_below += tasks_made(event->kind, event->b);
		if (event->kind == WIRE_TALLY && tally_part(event->b) == WIRE_TALLY_TASKS)
			n_tallied += tally_value(event->b);
		if (!run->collapses) {
			assert_in_range(i, 0, made[w].n - 1);
			assert_int_equal(event->kind, event_kind(&made[w].event[i]));
			assert_int_equal(event->b, made[w].event[i].b);
		}
		i++;
	}
	cursor_close(&cursor);
	if (!run->collapses)
		assert_int_equal(i, made[w].n);
}

static void check(const struct run *run)
{
	struct reader *reader;
	struct err err;

	record(run);
	assert_int_equal(reader_open(&reader, path, &err), 0);
	assert_true(reader_facts(reader)->ended);
	assert_int_equal(reader_facts(reader)->n_workers, WORKERS);
	n_created = n_tallied = n_below = 0;
	for (uint32_t w = 0; w < WORKERS; w++)
		read_worker(reader, w, run);
	reader_close(reader);
	assert_int_equal(n_created + n_tallied, WORKERS * (TASKS - 1));
	assert_int_equal(n_below, n_tallied);
	if (run->collapses && run->n_sites < MANY_SITES)
		assert_in_range(n_tallied, WORKERS * LEAVES, WORKERS * TASKS);
	unlink(path);
}

TEST(full)
{
	for (uint32_t n = 1; n <= 5; n += 2)
		check(&(struct run){ n, 20, false, false, false, false });
}

TEST(collapsed)
{
	for (uint32_t n = 1; n <= 5; n += 2)
		check(&(struct run){ n, 20, true, false, false, false });
}

TEST(kept)
{
	for (uint32_t n = 1; n <= 5; n += 2)
		check(&(struct run){ n, 20, true, true, false, false });
	check(&(struct run){ 3, 20, false, true, false, false });
	check(&(struct run){ 5, MANY_SITES, true, true, false, false });
}

/* What workers thinned is collapsed further, and stays with its tallies. */
TEST(thinned)
{
	for (uint32_t n = 1; n <= 5; n += 2)
		check(&(struct run){ n, 5, true, false, true, false });
	check(&(struct run){ 3, 5, true, true, true, false });
}

/* A successor counts nothing twice that the dead collector wrote, and loses nothing. */
TEST(succeeded)
{
	check(&(struct run){ 1, 5, true, false, true, true });
	check(&(struct run){ 3, 5, true, false, false, true });
	check(&(struct run){ 3, 20, false, false, false, true });
}

/* What is collapsed at once is a share of the time that is kept, and not of all since the begin. */
TEST(kept_time)
{
	const uint64_t long_ns = UINT64_C(1000000000) * LONG_S, share = long_ns / 256;
	struct wire_event event[SLOTS / 4];

	assert_true(rings_open(&rings, 1, SLOTS, path));
	rings.session->options.collapse_ns = 1000;
	rings.session->options.keep_last = true;
	rings.session->options.max_bytes = UINT64_C(1) << 30;
	rings.session->begin.ticks -= long_ns;
	rings.session->begin.ns -= long_ns;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	for (uint32_t i = 0; i < 20; i++) {
		uint64_t ticks = clock_pair(&rings.session->clock).ticks;

		for (uint32_t k = 0; k < SLOTS / 4; k += 2) { /* of tasks that others created */
			event[k] = (struct wire_event){ event_at(ticks, WIRE_BEGIN),
							id_make(7, k + 1) };
			event[k + 1] = (struct wire_event){ event_at(ticks, WIRE_END), 0 };
		}
		rings_put(rings.worker[0], event, SLOTS / 4);
		drain_round(&drain, DRAIN_ALL);
		assert_true(drain.flight.n == i + 1 || i > 10);
		if (i <= 10)
			assert_true(drain.limits.task > share);
		if (i == 10)
			drain.flight.max_bytes = 3 * drain.flight.bytes / i;
	}
	assert_true(drain.flight.has_thrown);
	assert_true(drain.limits.task < share);
	drain_close(&drain);
	rings_close(&rings);
}

/* Without more threads than workers want, there is one for THREAD_WORKERS workers. */
TEST(as_workers_want)
{
	struct drain_threads *threads = &drain.threads;

	assert_true(rings_open(&rings, WORKERS, SLOTS, path));
	rings.session->process.affinity = 1000;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	drain_threads_grow(&drain, WORKERS, 0);
	assert_int_equal(threads->n, 1);
	drain_use_threads(&drain, &rings_threads);
	drain_threads_grow(&drain, THREAD_WORKERS, 0);
	assert_int_equal(threads->n, 1);
	drain_threads_grow(&drain, THREAD_WORKERS + 1, 0);
	assert_int_equal(threads->n, 2);
	drain_threads_grow(&drain, 1, 0); /* none is given up */
	assert_int_equal(threads->n, 2);
	drain_close(&drain);
	rings.session->process.affinity = 2;
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	drain_use_threads(&drain, &rings_threads);
	drain_threads_grow(&drain, 10 * THREAD_WORKERS, 0);
	assert_int_equal(threads->n, 2);
	drain_close(&drain);
	rings_close(&rings);
}

/*
 * One round in which every second worker of the first half has events.  Whether the second thread
 * took some: a stream knows whose memory it used last, but writing all that is pending changes
 * that, too.
 */
static bool round_helped(void)
{
	uint64_t flushed_ns = drain.rounds.flushed_ns;
	bool helped = false;

	for (uint32_t w = 0; w < WORKERS / 2; w += 2)
		rings_put(rings.worker[w], made[w].event, SLOTS / 2);
	for (uint32_t w = 0; w < drain.n_streams; w++)
		drain.stream[w].pending.spare = NULL;
	drain_round(&drain, DRAIN_RUNNING);
	assert_int_equal(drain.threads.n, 2);
	for (uint32_t w = 0; w < WORKERS; w++)
		helped |= drain.stream[w].pending.spare == &drain.threads.at[1]->spare;
	return helped && drain.rounds.flushed_ns == flushed_ns;
}

/* If some workers are busier, who is done before takes rings of theirs. */
TEST(uneven)
{
	struct timespec now;
	time_t until;
	bool helped;

	unlink(path);
	assert_true(rings_open(&rings, WORKERS, SLOTS, path));
	rings.session->options.collapse_ns = UINT64_C(1) << 40;
	rings.session->options.collector_threads = 2;
	atomic_store(&rings.session->n_sites, 20);
	assert_int_equal(drain_open(&drain, rings.session, rings_worker, &rings), 0);
	drain_use_threads(&drain, &rings_threads);
	for (uint32_t w = 0; w < WORKERS; w++)
		make_stream(&made[w], w, 20);
	clock_gettime(CLOCK_MONOTONIC, &now);
	until = now.tv_sec + 60;
	do {
		helped = round_helped();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!helped && now.tv_sec < until);
	assert_true(helped);
	drain_close(&drain);
	rings_close(&rings);
}

/* More sites than a pass has room for: tasks of some are not collapsed, and none is lost. */
TEST(many_sites)
{
	for (uint32_t n = 1; n <= 5; n += 4)
		check(&(struct run){ n, MANY_SITES, true, false, false, false });
}

/*
 * A worker that has one chunk and no memory for more: all events of it are taken while it is
 * filled, and then the worker waits to have it back.
 */
TEST(only_chunk)
{
	for (unsigned i = 0; i < 4; i++) {
		struct worker *worker;

		unlink(path);
		assert_true(rings_open(&rings, 1, SLOTS, path));
		rings.session->options.collapse_ns = i & 1 ? UINT64_C(1) << 40 : 0;
		rings.session->process.ring = 1;
		atomic_store(&rings.session->n_sites, 20);
		worker = rings.worker[0];
		atomic_store(&worker->n_chunks, 1);
		begin_drain(true);
		make_stream(made, 0, 20);
		rings_put(worker, made->event, SLOTS / 4);
		drain_round(&drain, i & 2 ? DRAIN_RUNNING : DRAIN_ALL);
		if (i & 2)
			trace_file_fail(&drain.file, EIO, "is full");
		drain_round(&drain, DRAIN_ALL);
		assert_int_equal(drain.stream[0].reached.number, SLOTS / 4);
		chunk_finish(rings_chunk(worker), SLOTS / 4);
		atomic_store(&worker->waiting, 1);
		drain_round(&drain, DRAIN_RUNNING);
		assert_int_equal(chunk_state_of(chunk_word(rings_chunk(worker))), CHUNK_FREE);
		drain_close(&drain);
		rings_close(&rings);
	}
}

int main(void)
{
	made = malloc(WORKERS * sizeof(*made));
	if (!made)
		return 1;
	snprintf(path, sizeof(path), "/tmp/tptrace-drain.%d.tpt", (int)getpid());
	int failed = test_all();

	free(made);
	unlink(path);
	return failed;
}
