/* SPDX-License-Identifier: MIT */
/* worker.c - a worker's memory, and what its thread does when the ring fills. */
#include "preload/worker.h"

#include <errno.h>
#include <sys/mman.h>

#include "collector/session/gate.h"
#include "preload/probes.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/thin.h"
#include "preload/watch.h"
#include "collector/session/futex.h"
#include "collector/session/point.h"

#define FULL_POLL_NS 10000000u /* look again this often: the collector may have died */
#define GROW_NS 100000000u     /* a ring that takes longer to fill is large enough */
#define TAKEN_NS 100000u       /* the collector takes no longer to hand over in a worker's place */

struct worker *worker_make(void *memory, uint32_t index, uint64_t n_slots,
			   const struct clock *slow_clock)
{
	struct worker *worker = memory;

	madvise(worker, WORKER_PAGE, MADV_WIPEONFORK); /* an old kernel does without */
	worker->index = index;
	worker->mask = worker->ring_mask = n_slots - 1;
	worker->n_most = n_slots;
	worker->limit = n_slots / 2;
	worker->slot = worker_slots(worker);
	worker->slow_clock = slow_clock;
	worker->state = WORKER_OUTSIDE;
	return worker;
}

void worker_begin_small(struct worker *worker, uint64_t n_slots)
{
	worker->mask = worker->ring_mask = n_slots - 1;
	worker->limit = n_slots / 2;
	worker->looked_ns = clock_monotonic_ns();
}

void worker_begin_thin(struct worker *worker)
{
	worker->slot = worker_fresh(worker, worker->n_most);
	worker->mask = FRESH_SLOTS - 1;
	worker->limit = thin_at(worker);
	worker->thins = 1;
}

struct worker *worker_map(uint32_t index, uint64_t n_slots, const struct clock *slow_clock)
{
	void *memory = mmap(NULL, worker_place(n_slots), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : worker_make(memory, index, n_slots, slow_clock);
}

void worker_unmap(struct worker *worker)
{
	munmap(worker, worker_place(worker->n_most));
}

void worker_detach(struct worker *worker)
{
	worker->task = 0;
	worker_turn(worker, WORKER_OUTSIDE);
	atomic_store_explicit(&worker->in_use, 0, memory_order_release);
}

bool worker_runs(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	for (uint64_t n = 1; n <= head && n <= worker->mask + 1; n++) {
		unsigned kind = event_kind(&worker->slot[(head - n) & worker->mask]);

		if (kind_begins(kind) || kind_ends(kind))
			return kind_begins(kind);
	}
	return false;
}

/* Whether an event of that kind can be the first after a gap: what runs then is known. */
static bool may_end_gap(const struct worker *worker, enum wire_kind kind)
{
	return kind_begins(kind) ||
	       (kind_ends(kind) && worker->task && !(worker->task & WORKER_TASK_CLOSED));
}

static uint64_t gap_n(const struct worker *worker, uint32_t why)
{
	return atomic_load_explicit(&worker->gap[why].n, memory_order_relaxed);
}

static uint64_t gap_since(const struct worker *worker, uint32_t why)
{
	return atomic_load_explicit(&worker->gap[why].since, memory_order_relaxed);
}

/*
 * When a gap began that is over now, the next one's begin if there were several: for the notes,
 * each a range of its own.
 */
static uint64_t gap_until(const struct worker *worker, uint32_t why, uint64_t until)
{
	for (uint32_t i = 0; i < WIRE_LOSS_OLD; i++)
		if (i != why && gap_n(worker, i) && gap_since(worker, i) > gap_since(worker, why) &&
		    gap_since(worker, i) < until)
			until = gap_since(worker, i);
	return until;
}

/* The gap that began first of those that are not told; WIRE_LOSS_OLD if all are. */
static uint32_t first_gap(const struct worker *worker)
{
	uint32_t first = WIRE_LOSS_OLD;

	for (uint32_t i = 0; i < WIRE_LOSS_OLD; i++)
		if (gap_n(worker, i) &&
		    (first == WIRE_LOSS_OLD || gap_since(worker, i) < gap_since(worker, first)))
			first = i;
	return first;
}

/* When the strand that an event ends began, as far as it was to be recorded. */
static uint64_t running_since(const struct worker *worker, const struct session *session)
{
	uint64_t ticks = worker->open_ticks;

	for (uint32_t i = 0; i < WIRE_LOSS_OLD; i++)
		if (gap_n(worker, i) && gap_since(worker, i) > ticks)
			ticks = gap_since(worker, i);
	if (worker->newest_gap == WIRE_LOSS_STOPPED && ticks < atomic_load(&session->started_ticks))
		ticks = atomic_load(&session->started_ticks);
	return ticks;
}

/* Ids given out before an event of that kind: those that CREATE and FORK make are given out after
 * they are recorded, those of other kinds before. */
static uint64_t ids_recorded(const struct worker *worker, enum wire_kind kind)
{
	return worker->n_ids - (kind == WIRE_ROOT || kind == WIRE_MEMBER || kind == WIRE_START);
}

/*
 * Tells of the gaps that end with an event of that kind.  RESUME says what runs, if something
 * does.
 */
static void note_gaps(struct worker *worker, const struct session *session, enum wire_kind kind)
{
	bool runs = kind_ends(kind);
	uint64_t until = runs ? running_since(worker, session) : worker_ticks(worker);
	uint32_t why;

	while ((why = first_gap(worker)) < WIRE_LOSS_OLD) {
		uint64_t n = gap_n(worker, why), over = gap_until(worker, why, until);

		worker_put(worker, WIRE_LOST, lost_make(n, why));
		worker_put(worker, WIRE_SINCE, gap_since(worker, why));
		worker_put(worker, WIRE_UNTIL, over);
		/* last: at every moment a gap is here or in the ring, for note_untaken() */
		atomic_store_explicit(&worker->gap[why].n, 0, memory_order_release);
	}
	worker_put(worker, WIRE_NEXT_ID, ids_recorded(worker, kind));
	if (runs)
		worker_put(worker, event_at(until, WIRE_RESUME), worker->task & ~WORKER_TASK_BITS);
	worker->has_gap = false;
	worker->open_ticks = 0;
}

/* Hot path while nothing is recorded.  When a strand begins the clock is read here, instead. */
static bool drop_one(struct worker *worker, enum wire_kind kind, enum wire_loss why)
{
	struct worker_gap *gap = &worker->gap[why];
	uint64_t n = gap_n(worker, why), ticks = 0;

	if (n == 0 || kind_begins(kind))
		ticks = worker_ticks(worker);
	if (n == 0)
		atomic_store_explicit(&gap->since, ticks, memory_order_relaxed);
	atomic_store_explicit(&gap->n, n + 1, memory_order_relaxed);
	if (kind_begins(kind))
		worker->open_ticks = ticks;
	else if (kind_ends(kind))
		worker->open_ticks = 0;
	worker->newest_gap = why;
	worker->has_gap = true;
	if (why == WIRE_LOSS_STOPPED)
		return false;
	atomic_store_explicit(&worker->lost, worker->lost + 1, memory_order_relaxed);
	if (kind_makes_task(kind))
		atomic_store_explicit(&worker->lost_tasks, worker->lost_tasks + 1,
				      memory_order_relaxed);
	return false;
}

/* Why nothing is to be stored; WIRE_LOSS_RING (0) if it is: then a ring is full, if anything. */
static enum wire_loss shut_why(const struct session *session)
{
	return (enum wire_loss)atomic_load(&session->shut);
}

/* How far the tail is behind; less than nothing where a signal handler tore the head. */
static int64_t lead(uint64_t head, const struct worker *worker)
{
	return (int64_t)(head - atomic_load(&worker->tail));
}

/* Whether there will be a collector that takes something, as far as can be seen. */
static bool is_collected(struct session *session)
{
	enum watch watch = watch_collector(session);

	return watch == WATCH_WELL ||
	       (watch == WATCH_DEAD && session_collector()->succeed(session));
}

/* Sleeps until the collector has taken what is not among the ring's last before `head`.  False if
 * it will not for now. */
static bool wait_until_taken(struct worker *worker, struct session *session, uint64_t head)
{
	while (lead(head, worker) > (int64_t)worker->ring_mask) {
		uint32_t moves = atomic_load(&worker->tail_moves);

		if (atomic_load(&session->state) != SESSION_ON || shut_why(session) ||
		    !is_collected(session))
			return false;
		test_point("full:waits");
		atomic_store(&worker->waiting, 1);
		if (lead(head, worker) > (int64_t)worker->ring_mask) {
			gate_wake(session);
			futex_wait(&worker->tail_moves, moves, FULL_POLL_NS);
		}
		atomic_store(&worker->waiting, 0);
	}
	return true;
}

/* Likewise, and notes for how long. */
static bool wait_for_collector(struct worker *worker, struct session *session, uint64_t head)
{
	uint64_t begin_ns = clock_monotonic_ns();
	bool taken = wait_until_taken(worker, session, head);

	atomic_fetch_add_explicit(&worker->waited_ns, clock_monotonic_ns() - begin_ns,
				  memory_order_relaxed);
	return taken;
}

/* Whether a ring of n slots is small for what the worker makes: it fills faster, or is half full.
 */
static bool is_small(struct worker *worker, uint64_t n, uint64_t head, uint64_t tail)
{
	uint64_t made = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t now_ns = clock_monotonic_ns(), took_ns = now_ns - worker->looked_ns;

	if (made - worker->looked_at >= n / 4) {
		worker->looked_at = made;
		worker->looked_ns = now_ns;
		if (took_ns < GROW_NS)
			return true;
	}
	return head - tail > n / 2;
}

/*
 * Doubles the ring, if it is small and bit n of the numbers tail .. head - 1 is 0.  Without memory
 * for that it keeps its size for good.
 */
static void grow(struct worker *worker, uint64_t head, uint64_t tail)
{
	uint64_t n = worker->ring_mask + 1;
	size_t bytes = n * sizeof(*worker->slot);
	int saved = errno;

	if (n >= worker->n_most || head - tail > n || tail & n ||
	    (head != tail && (head - 1) & n) || !is_small(worker, n, head, tail))
		return;
	if (budget_take(bytes, BUDGET_MORE) && shared_grow(worker_slots(worker) + n, bytes)) {
		__atomic_store_n(&worker->kept_from, tail, __ATOMIC_RELAXED);
		test_point("grow:kept");
		__atomic_store_n(&worker->ring_mask, 2 * n - 1, __ATOMIC_RELAXED);
		if (!worker->thins)
			worker->mask = worker->ring_mask;
	} else {
		worker->n_most = n;
	}
	errno = saved;
}

/* Where the ring can grow for certain, behind head; never if it has its size. */
static uint64_t next_growth(const struct worker *worker, uint64_t head)
{
	uint64_t n = worker->ring_mask + 1, at = (head & ~(2 * n - 1)) + n;

	if (n >= worker->n_most)
		return UINT64_MAX;
	return at > head ? at : at + 2 * n;
}

/* The worker looks up next at `limit`, or at once if the recording was stopped meanwhile. */
static void set_limit(struct worker *worker, const struct session *session, uint64_t limit)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t growth = worker->thins ? UINT64_MAX : next_growth(worker, head);

	atomic_store(&worker->limit, limit < growth ? limit : growth);
	if (shut_why(session) || atomic_load(&session->hold)) /* set first, and the limits after */
		atomic_store(&worker->limit, 0);
}

/* Notes of gaps take NOTES slots, and are put only where the event that they go before still fits
 * behind them: so head never passes `limit` unseen. */
enum { SPARE = 4, NOTES = 3 * WIRE_LOSS_OLD + 3 };
_Static_assert(NOTES + SPARE < THIN_NOTES && SPARE == THIN_SPARE, "room for notes");

/* Room in the ring; `more` are the untimed events before the one at hand. */
static bool make_ring_room(struct worker *worker, struct session *session, enum wire_kind kind,
			   uint32_t more)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	uint64_t needed = 1 + more + (worker->has_gap ? NOTES : 0);
	uint64_t n_slots;

	grow(worker, head, tail);
	n_slots = worker->ring_mask + 1;
	if ((int64_t)(head - tail + needed) > (int64_t)(n_slots - SPARE)) {
		uint64_t held_ticks = worker_ticks(worker);

		if (session->drop)
			return drop_one(worker, kind, WIRE_LOSS_RING);
		if (!wait_for_collector(worker, session, head + NOTES + 1 + more + SPARE))
			return atomic_load(&session->state) == SESSION_ON &&
			       drop_one(worker, kind, shut_why(session));
		held_ticks = worker_ticks(worker) - held_ticks;
		if (held_ticks)
			worker_put(worker, WIRE_TRACER, held_ticks);
		tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	}
	if (worker->has_gap)
		note_gaps(worker, session, kind);
	head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	if (head - tail < n_slots / 2) {
		set_limit(worker, session, tail + n_slots / 2);
	} else {
		set_limit(worker, session, tail + n_slots - SPARE);
		if (watch_died(session))
			session_collector()->succeed(session);
		gate_wake(session);
	}
	return true;
}

/* The collector is about to hand over in the worker's place.  False if it does not get on. */
static bool await_taken(struct worker *worker, struct session *session)
{
	if (atomic_load(&session->state) != SESSION_ON || !is_collected(session))
		return false;
	test_point("hand:taken");
	futex_wait(&worker->tail_moves, atomic_load(&worker->tail_moves), TAKEN_NS);
	return true;
}

/*
 * The same of a ring that what is fresh is handed to.  Not while the collector hands over: it
 * writes slots, and would not know of it.
 */
static void grow_claimed(struct worker *worker)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	uint64_t handed = worker_handed(worker);
	uint64_t claimed = handed_claimed(handed, HANDED_BY_WORKER);

	if (handed_claim(handed) == HANDED_BY_COLLECTOR ||
	    !atomic_compare_exchange_strong(&worker->handed, &handed, claimed))
		return;
	test_point("grow:claimed");
	grow(worker, handed_given(handed, tail), tail);
	test_point("grow:done");
	atomic_store_explicit(&worker->handed, handed_claimed(handed, HANDED_FREE),
			      memory_order_release);
}

/* Hands over what is fresh, before an event of that kind.  False if the ring has no room for it for
 * now. */
static bool hand_over(struct worker *worker, struct session *session, enum wire_kind kind)
{
	uint64_t n_ids = ids_recorded(worker, kind);
	enum thin_end end;

	grow_claimed(worker);
	while ((end = thin_hand_over(worker, session, n_ids)) != THIN_DONE) {
		uint64_t needed = worker_given(worker) + thin_fresh(worker) + SPARE;

		if (end == THIN_TAKEN && !await_taken(worker, session))
			return false;
		if (end == THIN_FULL &&
		    (session->drop || !wait_for_collector(worker, session, needed)))
			return false;
	}
	if (lead(worker_given(worker), worker) <= (int64_t)worker->ring_mask / 2)
		return true;
	if (watch_died(session))
		session_collector()->succeed(session);
	gate_wake(session);
	return true;
}

/* Room among what is fresh: once that is enough it is handed over, and the time that this takes is
 * the tracer's. */
static bool make_fresh_room(struct worker *worker, struct session *session, enum wire_kind kind)
{
	if (thin_fresh(worker) >= thin_at(worker)) {
		uint64_t held_ticks = worker_ticks(worker);

		if (!hand_over(worker, session, kind))
			return atomic_load(&session->state) == SESSION_ON &&
			       drop_one(worker, kind, shut_why(session));
		held_ticks = worker_ticks(worker) - held_ticks;
		if (held_ticks)
			worker_put(worker, WIRE_TRACER, held_ticks);
	} else {
		thin_follow(worker);
	}
	if (worker->has_gap)
		note_gaps(worker, session, kind);
	set_limit(worker, session, worker->thin_at + thin_at(worker));
	return true;
}

static bool make_room(struct worker *worker, enum wire_kind kind, uint32_t more)
{
	struct session *session = session_get();
	enum wire_loss shut = shut_why(session);

	if (atomic_load_explicit(&session->hold, memory_order_relaxed) && session_is_ours(session))
		gate_rest(session, worker);
	if (atomic_load_explicit(&session->state, memory_order_relaxed) != SESSION_ON)
		return false; /* later than the trace's end */
	if (!session_is_ours(session))
		return false; /* a bare clone's events belong to no trace */
	if (shut)
		return drop_one(worker, kind, shut);
	if (worker->has_gap && !may_end_gap(worker, kind))
		return drop_one(worker, kind, worker->newest_gap);
	if (worker->thins)
		return make_fresh_room(worker, session, kind);
	return make_ring_room(worker, session, kind, more);
}

bool worker_make_room(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	bool room;

	if (__builtin_expect(!worker->probed, 1))
		return make_room(worker, kind, 0);
	probes_before(worker, kind, b);
	room = probes_have_room(worker) ||
	       probes_made_room(worker, make_room(worker, kind, PROBE_NOTES));
	if (room)
		probes_after(worker, kind, __builtin_frame_address(0));
	return room;
}
