/* SPDX-License-Identifier: MIT */
/* trial.c - has a shim make tasks, with and without its wrappers, and compares. */
#include "preload/trial.h"

#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/record.h"
#include "preload/session.h"
#include "preload/worker_life.h"

enum { TRIAL_ROUNDS = 16, TRIAL_ROUNDS_LEAST = 4 };
#define TRIAL_SPARED 20u      /* report 5 % less: a real program overlaps more of the cost */
#define TRIAL_SLOTS 8192u     /* half of them are more than the nearest cache holds, as in a run */
#define TRIAL_MOST_NS 500000u /* where the clock is slow, fewer rounds will do */

/* Later events overwrite earlier ones; a round has fewer than half of the slots. */
static void rewind_trial(void)
{
	struct worker *worker = worker_self();

	if (worker && atomic_load(&worker->head) > TRIAL_SLOTS / 2)
		atomic_store(&worker->head, 0);
}

static uint64_t made_ns(void (*make)(bool recorded), bool recorded)
{
	uint64_t begin_ns;

	rewind_trial();
	begin_ns = clock_monotonic_ns();

	make(recorded);
	return clock_monotonic_ns() - begin_ns;
}

uint64_t trial_ps(void (*make)(bool recorded), uint32_t n_strands)
{
	uint64_t with_ns = UINT64_MAX, without_ns = UINT64_MAX, begin_ns = clock_monotonic_ns();

	for (int round = 1; round <= TRIAL_ROUNDS; round++) {
		uint64_t with = made_ns(make, true), without = made_ns(make, false);

		with_ns = with < with_ns ? with : with_ns;
		without_ns = without < without_ns ? without : without_ns;
		if (round >= TRIAL_ROUNDS_LEAST && clock_monotonic_ns() - begin_ns > TRIAL_MOST_NS)
			break;
	}
	with_ns = with_ns > without_ns ? with_ns - without_ns : 0;
	return with_ns * (1000 - 1000 / TRIAL_SPARED) / n_strands + 1;
}

/* A worker of the trial's own, in a task; its number is the thread's, which shims know it by. */
static struct worker *trial_worker(const struct worker *own)
{
	const struct chunk_sizes sizes = { .n = 1, .slots = TRIAL_SLOTS };
	struct worker *worker = worker_map(own->index, &sizes, sizes.slots, own->slow_clock);

	if (!worker)
		return NULL;
	worker->limit = UINT64_MAX; /* it is never full: rewind_trial() */
	record_resume(worker, record_next_id(worker));
	return worker;
}

/* Of the runtimes that were tried, for once more. */
static struct tried {
	void (*make)(bool recorded);
	uint32_t runtime, n_strands, n_shared;
} tried[SESSION_RUNTIMES];
static uint32_t n_tried;
static _Atomic uint32_t trial_lock;

/* What a strand takes now; 0: it cannot be tried.  With the lock held: a handler's events would be
 * lost. */
static uint64_t try_now(const struct tried *what)
{
	struct worker *own = worker_self();
	struct worker *worker = own && !probe_rules_time() ? trial_worker(own) : NULL;
	uint64_t ps;

	if (!worker)
		return 0;
	worker_tls = worker;
	ps = trial_ps(what->make, what->n_strands);
	worker_tls = own;
	worker_unmap(worker);
	return ps;
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
