/* SPDX-License-Identifier: MIT */
/* trial.c - has a shim make tasks, with and without its wrappers, and compares. */
#include "preload/trial.h"

#include "preload/libc.h"
#include "preload/probe.h"
#include "preload/record.h"
#include "preload/session.h"
#include "preload/worker_life.h"

enum { TRIAL_ROUNDS = 16 };
#define TRIAL_SPARED 20u  /* report 5 % less: a real program overlaps more of the cost */
#define TRIAL_SLOTS 8192u /* half of them are more than the nearest cache holds, as in a run */

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
	ps = trial_added_ps(worker, what->make, TRIAL_ROUNDS, what->n_strands, TRIAL_SLOTS / 2);
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
