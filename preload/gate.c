/* SPDX-License-Identifier: MIT */
/* gate.c - opens and shuts the recording. */
#include "preload/gate.h"

#include <sched.h>
#include <string.h>

#include "preload/worker.h"

#define PATIENCE_NS 1000000000u /* who holds the lock may have been killed */

static void lock(struct session *session)
{
	uint64_t began_ns = 0;

	while (atomic_exchange_explicit(&session->gate, 1, memory_order_acquire)) {
		if (began_ns == 0)
			began_ns = clock_monotonic_ns();
		else if (clock_monotonic_ns() - began_ns > PATIENCE_NS)
			return;
		sched_yield();
	}
}

static void unlock(struct session *session)
{
	atomic_store_explicit(&session->gate, 0, memory_order_release);
}

/* With the lock. */
static void put_mark(struct session *session, uint64_t ticks, enum session_mark_what what,
		     const char *name)
{
	uint32_t n = atomic_load_explicit(&session->n_marks, memory_order_relaxed);
	struct session_mark *mark = &session->mark[n % SESSION_MARKS];

	if (n - atomic_load_explicit(&session->marks_taken, memory_order_acquire) >=
	    atomic_load(&session->mark_room)) {
		atomic_fetch_add(&session->marks_lost, 1);
		return;
	}
	mark->ticks = ticks;
	mark->what = what;
	memset(mark->name, 0, sizeof(mark->name));
	if (name)
		memcpy(mark->name, name, strnlen(name, sizeof(mark->name) - 1));
	atomic_store_explicit(&session->n_marks, n + 1, memory_order_release);
}

void gate_mark(struct session *session, uint64_t ticks, enum session_mark_what what,
	       const char *name)
{
	lock(session);
	put_mark(session, ticks, what, name);
	unlock(session);
}

bool gate_next_mark(struct session *session, struct session_mark *mark)
{
	uint32_t taken = atomic_load_explicit(&session->marks_taken, memory_order_relaxed);
	uint32_t n = atomic_load_explicit(&session->n_marks, memory_order_acquire);

	if (n - taken > SESSION_MARKS)
		taken = n - SESSION_MARKS;
	if (taken == n || !atomic_load(&session->mark_room))
		return false;
	*mark = session->mark[taken % SESSION_MARKS];
	mark->name[sizeof(mark->name) - 1] = 0;
	atomic_store_explicit(&session->marks_taken, taken + 1, memory_order_release);
	return true;
}

/* Workers look up at their next event. */
void gate_shut(struct session *session, enum wire_loss why, gate_worker *worker_at, void *arg)
{
	uint32_t n;

	atomic_store(&session->shut, (uint32_t)why);
	n = atomic_load(&session->n_workers);
	for (uint32_t i = 0; i < n && i < WIRE_WORKERS; i++) {
		struct worker *worker = worker_at(arg, i);

		if (worker)
			atomic_store(&worker->limit, 0);
	}
}

bool gate_stop(struct session *session, gate_worker *worker_at, void *arg)
{
	bool on;

	lock(session);
	on = atomic_load(&session->shut) == 0;
	if (on) {
		put_mark(session, clock_ticks_by(session->clock), MARK_STOP, NULL);
		gate_shut(session, WIRE_LOSS_STOPPED, worker_at, arg);
	}
	unlock(session);
	return on;
}

bool gate_start(struct session *session)
{
	uint64_t ticks = clock_ticks_by(session->clock);
	bool stopped;

	lock(session);
	stopped = atomic_load(&session->shut) == WIRE_LOSS_STOPPED;
	if (stopped) {
		put_mark(session, ticks, MARK_START, NULL);
		atomic_store(&session->started_ticks, ticks);
		atomic_store(&session->shut, 0);
	}
	unlock(session);
	return stopped;
}

uint32_t gate_asked(struct session *session)
{
	return atomic_load_explicit(&session->asked, memory_order_relaxed)
		       ? atomic_exchange(&session->asked, 0)
		       : 0;
}
