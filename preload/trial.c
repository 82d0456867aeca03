/* SPDX-License-Identifier: MIT */
/* trial.c - records into a worker of its own, with and without a program or a shim in between. */
#include "preload/trial.h"

#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/record.h"
#include "preload/session.h"
#include "preload/worker_life.h"

enum { TRIAL_ROUNDS = 16, TRIAL_ROUNDS_LEAST = 4, AMID_ROUNDS = 40, AMID_STRANDS = 64 };
#define TRIAL_SPARED 20u      /* report 5 % less: a real program overlaps more of the cost */
#define TRIAL_SLOTS 8192u     /* half of them are more than the nearest cache holds, as in a run */
#define TRIAL_MOST_NS 500000u /* where the clock is slow, fewer rounds will do */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Later events overwrite earlier ones once there are so many; a round has fewer than half of the
 * slots. */
static uint64_t made_ns(void (*make)(bool recorded), bool recorded, uint64_t n_kept)
{
	struct worker *worker = worker_self();
	uint64_t begin_ns;

	if (worker && atomic_load(&worker->head) > n_kept)
		atomic_store(&worker->head, 0);
	begin_ns = clock_monotonic_ns();
	make(recorded);
	return clock_monotonic_ns() - begin_ns;
}

/* What recording adds to what is made, in ps for each of n strands: by the least of some rounds, as
 * an interrupt only ever adds. */
static uint64_t added_ps(void (*make)(bool recorded), int n_rounds, uint32_t n, uint64_t n_kept)
{
	uint64_t with_ns = UINT64_MAX, without_ns = UINT64_MAX, begin_ns = clock_monotonic_ns();

	for (int round = 1; round <= n_rounds; round++) {
		with_ns = least(made_ns(make, true, n_kept), with_ns);
		without_ns = least(made_ns(make, false, n_kept), without_ns);
		if (round >= TRIAL_ROUNDS_LEAST && clock_monotonic_ns() - begin_ns > TRIAL_MOST_NS)
			break;
	}
	return with_ns > without_ns ? (with_ns - without_ns) * 1000 / n : 0;
}

/* A worker of the trial's own, which is never full. */
static struct worker *trial_worker(uint32_t index, uint32_t slots, const struct clock *slow_clock)
{
	const struct chunk_sizes sizes = { .n = 1, .slots = slots };
	struct worker *worker = worker_map(index, &sizes, slots, slow_clock);

	if (worker)
		worker->limit = UINT64_MAX;
	return worker;
}

/* ---- an event ---- */

/* The time between the events of such strands: in them, and from the first event to the last. */
static void add_up(const struct worker *worker, uint32_t n_strands, uint64_t *inside, uint64_t *all)
{
	const struct wire_event *event = worker->slot;

	for (uint32_t i = 0; i < n_strands; i++)
		*inside += event_ticks(&event[2 * i + 1]) - event_ticks(&event[2 * i]);
	*all += event_ticks(&event[2 * n_strands - 1]) - event_ticks(&event[0]);
}

/* Strands with what a program does in and between them. */
static void make_amid(bool recorded)
{
	struct worker *worker = worker_self();
	uint64_t word = 0;

	for (int i = 0; i < AMID_STRANDS; i++) {
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_RESUME, 0);
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_YIELD, 0);
	}
	__asm__ volatile("" : : "r"(word));
}

/* Of a few rounds the first pays for the memory. */
void trial_events(struct session *session)
{
	enum { STRANDS = 256, ROUNDS = 8 };
	uint64_t best_ns = UINT64_MAX, inside = 0, all = 0, amid_ps, event_ps;
	struct worker *own = worker_self();
	struct worker *worker = trial_worker(0, 2 * STRANDS, clock_slow(&session->clock));

	if (!worker)
		return;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = clock_monotonic_ns(), ns;

		for (int i = 0; i < STRANDS; i++) {
			record_event(worker, WIRE_RESUME, 0);
			record_event(worker, WIRE_YIELD, 0);
		}
		ns = clock_monotonic_ns() - begin_ns;
		atomic_store_explicit(&worker->head, 0, memory_order_relaxed);
		if (round == 0)
			continue;
		best_ns = least(ns, best_ns);
		add_up(worker, STRANDS, &inside, &all);
	}
	worker_tls = worker;
	amid_ps = added_ps(make_amid, AMID_ROUNDS, AMID_STRANDS, 0);
	worker_tls = own;
	worker_unmap(worker);
	event_ps = least(best_ns * 1000 / STRANDS, amid_ps ? amid_ps : UINT64_MAX) / 2;
	atomic_store(&session->event_ps, (uint32_t)event_ps);
	atomic_store(&session->strand_ps, all ? (uint32_t)(2 * event_ps * inside / all) : 0);
}

/* ---- a shim's calls ---- */

/* Of the runtimes that were tried, for once more. */
static struct tried {
	void (*make)(bool recorded);
	uint32_t runtime, n_strands, n_shared;
} tried[SESSION_RUNTIMES];
static uint32_t n_tried;
static _Atomic uint32_t trial_lock;

/* What a strand takes now, in ps; 0: it cannot be tried.  With the lock held: a handler's events
 * would be lost.  The worker's number is the thread's, which shims know it by. */
static uint64_t try_now(const struct tried *what)
{
	struct worker *own = worker_self();
	struct worker *worker = own && !probe_rules_time()
					? trial_worker(own->index, TRIAL_SLOTS, own->slow_clock)
					: NULL;
	uint64_t ps;

	if (!worker)
		return 0;
	record_resume(worker, record_next_id(worker));
	worker_tls = worker;
	ps = added_ps(what->make, TRIAL_ROUNDS, what->n_strands, TRIAL_SLOTS / 2);
	worker_tls = own;
	worker_unmap(worker);
	return ps - ps / TRIAL_SPARED + 1;
}

/* The part of an event that lies in a strand stays the same one. */
static void lower(struct session *session, uint64_t event_ps)
{
	uint64_t was_ps = atomic_load(&session->event_ps);

	atomic_store(&session->strand_ps,
		     (uint32_t)(atomic_load(&session->strand_ps) * event_ps / was_ps));
	atomic_store(&session->event_ps, (uint32_t)event_ps);
}

/*
 * The least that was found counts: the processor may have been slower at another time.  Events that
 * share a reading of the clock cost one reading less, which is nearly all that an event costs.
 */
static void note_calls(const struct tried *what, uint64_t ps)
{
	struct session *session = session_lock();
	_Atomic uint32_t *calls_ps = &session->runtime[what->runtime].calls_ps;
	uint64_t before_ps = atomic_load(calls_ps),
		 n_readings = 2 * what->n_strands - what->n_shared;
	uint64_t most_ps = ps * what->n_strands / n_readings, events_ps;

	if (most_ps < atomic_load(&session->event_ps)) /* it was slower then */
		lower(session, most_ps + 1);
	events_ps = n_readings * atomic_load(&session->event_ps) / what->n_strands;
	ps = ps > events_ps ? ps - events_ps : 1;
	if (ps <= TRIAL_MOST_PS && (!before_ps || ps < before_ps))
		atomic_store(calls_ps, (uint32_t)ps);
	session_unlock(session);
}

void record_trial(uint32_t runtime, void (*make)(bool recorded), uint32_t n_strands,
		  uint32_t n_shared)
{
	const struct tried what = { make, runtime, n_strands, n_shared };
	uint64_t ps;

	if (!worker_self() && !worker_attach())
		return;
	libc_lock(&trial_lock);
	ps = try_now(&what);
	if (ps && n_tried < SESSION_RUNTIMES)
		tried[n_tried++] = what;
	libc_unlock(&trial_lock);
	if (ps)
		note_calls(&what, ps);
}

void trial_again(void)
{
	libc_lock(&trial_lock);
	for (uint32_t i = 0; i < n_tried; i++) {
		uint64_t ps = try_now(&tried[i]);

		if (ps)
			note_calls(&tried[i], ps);
	}
	n_tried = 0; /* each shim calls this as it ends */
	libc_unlock(&trial_lock);
}
