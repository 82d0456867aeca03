/* SPDX-License-Identifier: MIT */
/*
 * gate.c - opens and shuts the recording.
 *
 * Marks, in a ring of 4 instead of SESSION_MARKS:
 *
 *	taken 5, n 5			place[] 5 2 3 4: number k lies at k % 4, published as k + 1
 *	A claims 5, B claims 6: n 7	5 2 3 4, B's written first: 5 2 7 4
 *	the collector looks for 5	finds 2 there and not 6: not published, and B's waits
 *	A publishes: 5 6 7 4		now both are taken, in order: taken 7
 *
 * At the last nobody is left to publish: then 5 would be counted as lost, and 6 taken.
 */
#include "collector/session/gate.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session/ring.h"
#include "collector/session/futex.h"

#define PATIENCE_NS 1000000000u /* who holds the lock may have been killed */
#define TURNS_SPARE 64u		/* places that only starts and stops may take */
#define AWAIT_POLL_NS 200000u
#ifndef TAKE_BACK_NS
#define TAKE_BACK_NS 10000000000u
#endif
#define TAKE_BACK_POLL_NS 10000000u /* the end may be the last one by now */

/* The number of the thread that holds the lock, which it unlocks with. */
static uint32_t gate_lock(struct session *session)
{
	uint32_t mine = (uint32_t)syscall(SYS_gettid), holder = 0, other = 0;
	uint64_t began_ns = 0;

	while (!atomic_compare_exchange_strong(&session->gate, &holder, mine)) {
		uint64_t now_ns = clock_monotonic_ns();

		if (holder != other)
			began_ns = now_ns;
		other = holder;
		if (now_ns - began_ns <= PATIENCE_NS)
			holder = 0; /* else it is taken from this one, and from no other */
		sched_yield();
	}
	return mine;
}

/* It stays locked if somebody has taken it meanwhile. */
static void gate_unlock(struct session *session, uint32_t mine)
{
	atomic_compare_exchange_strong(&session->gate, &mine, 0);
}

/* A place for a mark; NULL if so many are left, or fewer. */
static struct session_mark *claim_mark(struct session *session, uint32_t spare, uint32_t *number)
{
	uint32_t n = atomic_load_explicit(&session->n_marks, memory_order_relaxed);

	do {
		uint32_t taken = atomic_load_explicit(&session->marks_taken, memory_order_acquire);

		if (n - taken + spare >= atomic_load(&session->mark_room))
			return NULL;
	} while (!atomic_compare_exchange_weak(&session->n_marks, &n, n + 1));
	*number = n;
	return &session->mark[n % SESSION_MARKS];
}

void gate_wake(struct session *session)
{
	atomic_fetch_add_explicit(&session->wake, 1, memory_order_release);
	futex_wake(&session->wake);
}

bool gate_mark(struct session *session, uint64_t ticks, enum wire_mark what, const char *name)
{
	uint32_t n, spare = what == WIRE_MARK_START || what == WIRE_MARK_STOP ? 0 : TURNS_SPARE;
	struct session_mark *mark = claim_mark(session, spare, &n);

	if (!mark)
		return false;
	/* `place` last, by release: until then the collector takes it for one that is being written
	 */
	mark->ticks = ticks;
	mark->what = what;
	memset(mark->name, 0, sizeof(mark->name));
	if (name)
		memcpy(mark->name, name, strnlen(name, sizeof(mark->name) - 1));
	atomic_store_explicit(&mark->place, n + 1, memory_order_release);
	n -= atomic_load_explicit(&session->marks_taken, memory_order_relaxed);
	/* not for each mark; and once more, as it may have been at the end of a round */
	if (n == SESSION_MARKS / 2 || n == SESSION_MARKS * 3 / 4)
		gate_wake(session);
	return true;
}

void gate_lose(struct session *session, uint64_t ticks)
{
	uint64_t first = 0, last = atomic_load(&session->lost_mark_last);

	atomic_compare_exchange_strong(&session->lost_mark_first, &first, ticks);
	while (last < ticks &&
	       !atomic_compare_exchange_weak(&session->lost_mark_last, &last, ticks))
		;
	atomic_fetch_add(&session->marks_lost, 1);
}

bool gate_await(struct session *session, uint64_t patience_ns)
{
	uint32_t taken = atomic_load(&session->marks_taken);
	uint64_t until_ns = clock_monotonic_ns() + patience_ns;

	if (atomic_load(&session->mark_room) == 0 ||
	    (atomic_load(&session->marks_stuck) == taken + 1 &&
	     atomic_load(&session->stuck_ns) >= patience_ns))
		return false;
	while (atomic_load(&session->marks_taken) == taken) {
		if (clock_monotonic_ns() > until_ns) {
			atomic_store(&session->stuck_ns, patience_ns);
			atomic_store(&session->marks_stuck, taken + 1);
			return false;
		}
		gate_wake(session);
		futex_wait(&session->marks_taken, taken, AWAIT_POLL_NS);
	}
	return true;
}

bool gate_next_mark(struct session *session, struct session_mark *mark, bool last)
{
	uint32_t taken = atomic_load_explicit(&session->marks_taken, memory_order_relaxed);
	uint32_t n = atomic_load_explicit(&session->n_marks, memory_order_acquire);

	if (!atomic_load(&session->mark_room))
		return false;
	if (n - taken > SESSION_MARKS)
		taken = n - SESSION_MARKS;
	for (; taken != n; taken++) {
		const struct session_mark *next = &session->mark[taken % SESSION_MARKS];

		if (atomic_load_explicit(&next->place, memory_order_acquire) == taken + 1) {
			memcpy(mark, next, sizeof(*mark));
			mark->name[sizeof(mark->name) - 1] = 0;
			atomic_store_explicit(&session->marks_taken, taken + 1,
					      memory_order_release);
			return true;
		}
		if (!last)
			return false;
		atomic_fetch_add(&session->marks_lost, 1);
		atomic_store(&session->marks_taken, taken + 1);
	}
	return false;
}

bool gate_presses(const struct session *session)
{
	return atomic_load_explicit(&session->n_marks, memory_order_relaxed) -
		       atomic_load_explicit(&session->marks_taken, memory_order_relaxed) >=
	       SESSION_MARKS / 4;
}

/* Workers look up at their next event. */
static void call_workers(struct session *session, gate_worker *worker_at, void *arg)
{
	uint32_t n = atomic_load(&session->n_workers);

	for (uint32_t i = 0; i < n && i < WIRE_WORKERS; i++) {
		struct worker *worker = worker_at(arg, i);

		if (worker)
			atomic_store(&worker->limit, 0);
	}
}

void gate_shut(struct session *session, enum wire_loss why, gate_worker *worker_at, void *arg)
{
	/* first `shut`: a worker that looks up must find why */
	atomic_store(&session->shut, (uint32_t)why);
	call_workers(session, worker_at, arg);
}

/* Values of `frozen`: the number + 1 of the worker that goes on; WIRE_WORKERS + 1: none does. */
static uint32_t all_but(const struct worker *leaver)
{
	return leaver ? leaver->index + 1 : WIRE_WORKERS + 1;
}

void gate_freeze(struct session *session, const struct worker *leaver, uint64_t ns,
		 gate_worker *worker_at, void *arg)
{
	atomic_store(&session->frozen_until_ns, clock_monotonic_ns() + ns);
	atomic_store(&session->frozen, all_but(leaver));
	call_workers(session, worker_at, arg);
}

void gate_release(struct session *session)
{
	if (atomic_exchange(&session->frozen, 0))
		futex_wake(&session->frozen);
}

/* The collector does it, and releases all; for one that has stopped they do not wait twice. */
static void take_end_back(struct session *session, uint32_t frozen)
{
	uint64_t until_ns = clock_monotonic_ns() + TAKE_BACK_NS;

	while (atomic_load(&session->ended) && atomic_load(&session->frozen) == frozen &&
	       atomic_load(&session->state) == SESSION_ON) {
		if (clock_monotonic_ns() >= until_ns)
			gate_release(session);
		session->leaving[0] = 0;
		gate_wake(session);
		futex_wait(&session->frozen, frozen, TAKE_BACK_POLL_NS);
	}
}

void gate_rest(struct session *session, const struct worker *worker)
{
	uint32_t frozen = atomic_load(&session->frozen);
	bool leaves = frozen == all_but(worker);

	while (!leaves) {
		/* read once: a freeze that begins meanwhile may be over already */
		uint64_t until_ns = atomic_load(&session->frozen_until_ns);
		uint64_t now_ns = clock_monotonic_ns();

		if (!frozen || atomic_load(&session->frozen) != frozen)
			return;
		if (now_ns >= until_ns)
			break;
		futex_wait(&session->frozen, frozen, until_ns - now_ns);
	}
	if (atomic_load(&session->ended))
		take_end_back(session, frozen);
	else if (leaves)
		gate_release(session);
}

/* The clock is read with the lock: marks of turns are in the order of time, but for one of a thread
 * that was stopped here for so long that the lock was taken from it. */
enum gate_turn gate_stop(struct session *session, gate_worker *worker_at, void *arg)
{
	enum gate_turn turn = GATE_UNCHANGED;
	uint32_t mine = gate_lock(session);

	if (atomic_load(&session->shut) == 0)
		turn = gate_mark(session, clock_ticks_by(&session->clock), WIRE_MARK_STOP, NULL)
			       ? GATE_TURNED
			       : GATE_FULL;
	if (turn == GATE_TURNED)
		gate_shut(session, WIRE_LOSS_STOPPED, worker_at, arg);
	gate_unlock(session, mine);
	return turn;
}

enum gate_turn gate_start(struct session *session)
{
	enum gate_turn turn = GATE_UNCHANGED;
	uint32_t mine = gate_lock(session);

	if (atomic_load(&session->shut) == WIRE_LOSS_STOPPED) {
		uint64_t ticks = clock_ticks_by(&session->clock);

		turn = gate_mark(session, ticks, WIRE_MARK_START, NULL) ? GATE_TURNED : GATE_FULL;
		if (turn == GATE_TURNED) {
			atomic_store(&session->started_ticks, ticks);
			atomic_store(&session->shut, 0);
		}
	}
	gate_unlock(session, mine);
	return turn;
}

uint32_t gate_asked(struct session *session)
{
	return atomic_load_explicit(&session->asked, memory_order_relaxed)
		       ? atomic_exchange(&session->asked, 0)
		       : 0;
}
