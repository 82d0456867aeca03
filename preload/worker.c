/* SPDX-License-Identifier: MIT */
/* worker.c - a worker's memory, and what its thread does when the ring fills. */
#include "preload/worker.h"

#include <errno.h>
#include <sys/mman.h>

#include "preload/session.h"

#define FULL_POLL_NS 10000000u /* look again this often: the collector may have died */

__thread struct worker *worker_tls;

struct worker *worker_make(void *memory, uint32_t index, uint64_t n_slots, bool slow_clock)
{
	struct worker *worker = memory;

	worker->index = index;
	worker->mask = n_slots - 1;
	worker->limit = n_slots / 2;
	worker->slot = worker_slots(worker);
	worker->slow_clock = slow_clock;
	return worker;
}

struct worker *worker_map(uint32_t index, uint64_t n_slots, bool slow_clock)
{
	void *memory = mmap(NULL, worker_bytes(n_slots), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : worker_make(memory, index, n_slots, slow_clock);
}

void worker_unmap(struct worker *worker)
{
	munmap(worker, worker_bytes(worker->mask + 1));
}

void worker_detach(struct worker *worker)
{
	worker->task = 0;
	atomic_store_explicit(&worker->in_use, 0, memory_order_release);
}

bool worker_runs(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	for (uint64_t n = 1; n <= head && n <= worker->mask + 1; n++)
		switch ((enum wire_kind)(worker->slot[(head - n) & worker->mask].a & 0xff)) {
		case WIRE_ROOT:
		case WIRE_BEGIN:
		case WIRE_MEMBER:
		case WIRE_START:
		case WIRE_RESUME:
			return true;
		case WIRE_CREATE:
		case WIRE_FORK:
		case WIRE_WAIT:
		case WIRE_YIELD:
		case WIRE_SIGNAL:
		case WIRE_END:
			return false;
		default: /* says more of the one before */
			break;
		}
	return false;
}

static void put_raw(struct worker *worker, uint64_t a, uint64_t b)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	struct wire_event *event = &worker->slot[head & worker->mask];

	event->a = a;
	event->b = b;
	worker_commit(worker);
}

/* Says after a wait how long it was, and after a loss how much is missing. */
static void note_gap(struct worker *worker, uint64_t held_ticks)
{
	if (held_ticks)
		put_raw(worker, WIRE_TRACER, held_ticks);
	if (worker->unlogged_lost) {
		put_raw(worker, WIRE_LOST, worker->unlogged_lost);
		put_raw(worker, WIRE_NEXT_ID, worker->n_ids);
		worker->unlogged_lost = 0;
	}
}

static bool drop_one(struct worker *worker)
{
	worker->unlogged_lost++;
	atomic_store_explicit(&worker->lost, worker->lost + 1, memory_order_relaxed);
	return false;
}

/* Sleeps until the collector has taken something.  False if it never will. */
static bool wait_for_collector(struct worker *worker, struct session *session, uint64_t head)
{
	while (head - atomic_load_explicit(&worker->tail, memory_order_acquire) > worker->mask) {
		uint32_t moves = atomic_load(&worker->tail_moves);

		if (atomic_load(&session->state) != SESSION_ON || session_orphaned(session))
			return false;
		atomic_store(&worker->waiting, 1);
		if (head - atomic_load(&worker->tail) > worker->mask) {
			session_wake_collector(session);
			futex_wait(&worker->tail_moves, moves, FULL_POLL_NS);
		}
		atomic_store(&worker->waiting, 0);
	}
	return true;
}

/*
 * A note of a gap takes up to three slots, and is put only where the event that it goes before
 * still fits behind it: so head never passes `limit` unseen.
 */
bool worker_make_room(struct worker *worker)
{
	enum { SPARE = 4, NOTES = 3 };
	struct session *session = session_get();
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	uint64_t n_slots = worker->mask + 1;
	uint64_t needed = 1 + (worker->unlogged_lost ? NOTES : 0);
	uint64_t held_ticks = 0;

	if (atomic_load_explicit(&session->state, memory_order_relaxed) != SESSION_ON)
		return drop_one(worker);
	if (!session_is_ours(session))
		return false; /* nobody takes what a bare clone records: it would wait for ever */
	if (head - tail + needed > n_slots - SPARE) {
		uint64_t begin = worker_ticks(worker);

		if (session->drop || !wait_for_collector(worker, session, head + NOTES + 1 + SPARE))
			return drop_one(worker);
		held_ticks = worker_ticks(worker) - begin;
		tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	}
	note_gap(worker, held_ticks);
	head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	if (head - tail < n_slots / 2) {
		worker->limit = tail + n_slots / 2;
	} else {
		worker->limit = tail + n_slots - SPARE;
		session_wake_collector(session);
	}
	return true;
}
