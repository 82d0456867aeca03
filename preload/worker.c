/* SPDX-License-Identifier: MIT */
/* worker.c - a worker's memory, and what its thread does at the end of a chunk. */
#include "preload/worker.h"
#include "preload/worker_life.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/session/gate.h"
#include "preload/probes.h"
#include "preload/budget.h"
#include "preload/session.h"
#include "preload/watch.h"
#include "collector/session/chunk.h"
#include "collector/session/futex.h"
#include "collector/session/point.h"

#define FULL_POLL_NS 10000000u /* look again this often: the collector may have died */
#define BEHIND_PARTS 8u /* a collector that leaves no more than 1/8 of the chunks is behind */

/* The worker makes its events in that chunk from now on, at slot n. */
static void go_on_in(struct worker *worker, uint32_t chunk, uint32_t n)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	struct wire_event *slot = chunk_slots(worker, &worker->sizes, chunk) + n;

	worker->chunk = chunk;
	worker->chunk_limit = head + worker->chunk_slots - CHUNK_SPARE - n;
	worker->slot = (struct wire_event *)((uintptr_t)slot - head * sizeof(*slot));
}

static void begin_chunk(struct worker *worker, uint32_t chunk)
{
	chunk_begin(chunk_at(worker, chunk), atomic_load(&worker->head));
	go_on_in(worker, chunk, 0);
}

struct worker *worker_make(void *memory, uint32_t index, const struct chunk_sizes *sizes,
			   uint32_t chunk_slots, const struct clock *slow_clock)
{
	struct worker *worker = memory;

	madvise(worker, WORKER_PAGE, MADV_WIPEONFORK); /* an old kernel does without */
	worker->index = index;
	worker->last_id = id_make(index, 0); /* none: its first id has the number 1 */
	worker->sizes = *sizes;
	worker->chunk_slots = chunk_slots;
	worker->n_most = sizes->n;
	worker->slow_clock = slow_clock;
	atomic_store(&worker->n_chunks, 1);
	begin_chunk(worker, 0);
	worker->limit = worker->chunk_limit;
	worker->state = WORKER_OUTSIDE;
	return worker;
}

struct worker *worker_map(uint32_t index, const struct chunk_sizes *sizes, uint32_t chunk_slots,
			  const struct clock *slow_clock)
{
	void *memory = map_zeroed(worker_place(sizes));

	return memory ? worker_make(memory, index, sizes, chunk_slots, slow_clock) : NULL;
}

void worker_unmap(struct worker *worker)
{
	munmap(worker, worker_place(&worker->sizes));
}

void worker_detach(struct worker *worker)
{
	worker->task = 0;
	worker_turn(worker, WORKER_OUTSIDE);
	atomic_store_explicit(&worker->in_use, 0, memory_order_release);
}

static bool is_filling(struct worker *worker)
{
	return chunk_state_of(chunk_word(chunk_at(worker, worker->chunk))) == CHUNK_FILLING;
}

/* Whether the next event is for another chunk. */
static bool is_at_end(struct worker *worker)
{
	return atomic_load_explicit(&worker->head, memory_order_relaxed) >= worker->chunk_limit ||
	       !is_filling(worker);
}

/* Slots of the worker's chunk that have events. */
static uint32_t slots_used(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	return worker->chunk_slots - CHUNK_SPARE - (uint32_t)(worker->chunk_limit - head);
}

bool worker_runs(const struct worker *worker)
{
	const struct wire_event *slot =
		chunk_slots((struct worker *)worker, &worker->sizes, worker->chunk);

	if (worker->has_gap && worker->open_ticks) /* the last of them are not there */
		return true;
	for (uint32_t n = slots_used(worker); n-- > 0;) {
		unsigned kind = event_kind(&slot[n]);

		if (kind_begins(kind) || kind_ends(kind))
			return kind_begins(kind);
	}
	return worker->ran;
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
	return id_n(worker->last_id) -
	       (kind == WIRE_ROOT || kind == WIRE_MEMBER || kind == WIRE_START);
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
		/* last: at every moment a gap is here or in a chunk, for note_untaken() */
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

/* Whether there will be a collector that takes something, as far as can be seen. */
static bool is_collected(struct session *session)
{
	enum watch watch = watch_collector(session);

	return watch == WATCH_WELL ||
	       (watch == WATCH_DEAD && session_collector()->succeed(session));
}

/* Has the collector free chunks; another, if it has died. */
static void call_collector(struct session *session)
{
	if (watch_died(session))
		session_collector()->succeed(session);
	gate_wake(session);
}

/* Sleeps until the collector has freed a chunk.  False if it will not for now, because of *why. */
static bool await_release(struct worker *worker, struct session *session, uint32_t releases,
			  enum wire_loss *why)
{
	*why = shut_why(session);
	if (*why)
		test_point("full:shut");
	if (atomic_load(&session->state) != SESSION_ON || *why || !is_collected(session))
		return false;
	test_point("full:waits");
	atomic_store(&worker->waiting, 1);
	if (atomic_load(&worker->releases) == releases) {
		gate_wake(session);
		futex_wait(&worker->releases, releases, FULL_POLL_NS);
	}
	atomic_store(&worker->waiting, 0);
	return true;
}

/* One that is free, or was taken longest ago; CHUNK_NONE if there is none. */
static uint32_t find_free(struct worker *worker)
{
	uint32_t n = atomic_load_explicit(&worker->n_chunks, memory_order_relaxed);
	uint32_t oldest = CHUNK_NONE;

	for (uint32_t i = 0; i < n; i++) {
		struct chunk *chunk = chunk_at(worker, i);
		enum chunk_state state = chunk_state_of(chunk_word(chunk));

		if (state == CHUNK_FREE)
			return i;
		if (state == CHUNK_TAKEN &&
		    (oldest == CHUNK_NONE ||
		     chunk_before(chunk_end(chunk), chunk_end(chunk_at(worker, oldest)))))
			oldest = i;
	}
	return oldest != CHUNK_NONE && chunk_reuse(chunk_at(worker, oldest)) ? oldest : CHUNK_NONE;
}

/* A chunk more.  Without memory for it the worker has as many for good. */
static uint32_t find_more(struct worker *worker)
{
	uint32_t n = atomic_load_explicit(&worker->n_chunks, memory_order_relaxed);
	size_t bytes = worker->chunk_slots * sizeof(*worker->slot);
	int saved = errno;

	if (n >= worker->n_most)
		return CHUNK_NONE;
	if (budget_take(bytes, BUDGET_MORE) &&
	    shared_grow(chunk_slots(worker, &worker->sizes, n), bytes))
		atomic_store_explicit(&worker->n_chunks, n + 1, memory_order_release);
	else
		worker->n_most = n;
	errno = saved;
	return n < worker->n_most ? n : CHUNK_NONE;
}

static uint32_t find_chunk(struct worker *worker)
{
	uint32_t chunk = find_free(worker);

	return chunk == CHUNK_NONE ? find_more(worker) : chunk;
}

/* The same; waits for the collector, if it is to, and notes for how long.  *why: there is none. */
static uint32_t await_chunk(struct worker *worker, struct session *session, bool *waited,
			    enum wire_loss *why)
{
	uint32_t releases = atomic_load(&worker->releases), chunk = find_chunk(worker);
	uint64_t begin_ns;

	if (chunk != CHUNK_NONE || session->drop)
		return chunk;
	begin_ns = clock_monotonic_ns();
	while (chunk == CHUNK_NONE && await_release(worker, session, releases, why)) {
		releases = atomic_load(&worker->releases);
		chunk = find_chunk(worker);
	}
	atomic_fetch_add_explicit(&worker->waited_ns, clock_monotonic_ns() - begin_ns,
				  memory_order_relaxed);
	*waited = true;
	return chunk;
}

/*
 * ---- thinning ----
 *
 * A raw event that crosses to the collector's core costs more than to take it out where it was
 * made, and one collector is slower than many workers.  So in a session that collapses, where the
 * worker's chunk ends the collector's own pass (collector.h, `thin`) runs over it on the worker's
 * thread, while it is hot in its cache, into a free chunk (collector/session/chunk.h).  What is
 * taken out is tallied there, too.  Unless more than half a chunk is left, the worker goes on
 * behind that, and the next pass leaves it as it is: a second pass costs more than it saves the
 * collector.
 */

/* The pass's memory; NULL without any: then chunks go to the collector as they are. */
static struct thinner *thinner_of(struct worker *worker)
{
	if (!worker->thinner && !worker->thin_failed) {
		size_t bytes = session_collector()->thinner_bytes();

		worker->thinner = budget_allows_own(bytes) ? map_zeroed(bytes) : NULL;
		worker->thin_failed = !worker->thinner;
	}
	return worker->thinner;
}

/* CPUs that the program could use when it began; 0: not known. */
static uint32_t n_cpus(const struct process_info *facts)
{
	uint64_t quota = facts->quota_milli / 1000;

	return facts->quota_milli && quota < facts->affinity ? (uint32_t)quota : facts->affinity;
}

/* Whether the worker has to thin: the collector has no CPU of its own, or is behind.  Else it has
 * the time to collapse what a worker makes. */
static bool thin_pays(struct worker *worker, const struct session *session)
{
	uint32_t n = worker->sizes.n, n_full = chunk_count_full(worker, &worker->sizes, 0);

	return atomic_load_explicit(&session->n_workers, memory_order_relaxed) >=
		       n_cpus(&session->process) ||
	       n_full + 2 + n / BEHIND_PARTS >= n;
}

/* Thins n slots of the worker's chunk into a free one, `to`, which takes its place: how many are
 * left.  0: all is as it was, and the chunk goes to the collector as it is. */
static uint32_t thin_chunk(struct worker *worker, struct session *session, uint32_t n, uint32_t to)
{
	struct chunk *from = chunk_at(worker, worker->chunk), *into = chunk_at(worker, to);
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	const struct wire_event *slot = chunk_slots(worker, &worker->sizes, worker->chunk);
	struct wire_event *out = chunk_slots(worker, &worker->sizes, to);
	uint32_t n_thinned = atomic_load_explicit(&from->n_thinned, memory_order_relaxed);
	struct slice source = { .slot = slot + n_thinned,
				.n = n - n_thinned,
				.worker = worker->index,
				.n_ids = worker->chunk_ids };
	struct thinner *thinner = thinner_of(worker);
	uint32_t n_left = 0;

	if (thinner)
		n_left = session_collector()->thin(thinner, session, &source, out + n_thinned);
	if (n_left == 0)
		return 0;
	memcpy(out, slot, n_thinned * sizeof(*slot));
	chunk_replace(into, from, head, n_thinned + n_left);
	if (chunk_drop(from)) {
		worker->chunk_ids = source.n_ids;
		return n_thinned + n_left;
	}
	chunk_withdraw(into);
	return 0;
}

/* Puts a chunk of what is left of the worker's in its place.  True if it goes on in that one. */
static bool thin(struct worker *worker, struct session *session)
{
	bool pinned = chunk_word(chunk_at(worker, worker->chunk)) & CHUNK_PINNED;
	uint32_t to = !pinned && thin_pays(worker, session) ? find_chunk(worker) : CHUNK_NONE;
	uint32_t n = to == CHUNK_NONE ? 0 : thin_chunk(worker, session, slots_used(worker), to);

	if (!n)
		return false;
	worker->chunk = to;
	if (n > worker->chunk_slots / 2 || !chunk_reopen(chunk_at(worker, to)))
		return false;
	go_on_in(worker, to, n);
	return true;
}

/*
 * The worker goes on in another chunk; before an event of that kind.  False if there is none, and
 * *why.  A thread that is torn out of here leaves its chunk to the next one in any state.
 */
static bool next_chunk(struct worker *worker, struct session *session, enum wire_kind kind,
		       enum wire_loss *why)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t held_ticks = worker_ticks(worker);
	bool held = worker->thins, ran = worker_runs(worker);
	uint32_t chunk;

	atomic_store(&worker->limit, 0);
	if (is_filling(worker) && worker->thins && thin(worker, session))
		goto out;
	if (is_filling(worker))
		chunk_finish(chunk_at(worker, worker->chunk), head);
	if (chunk_count_full(worker, &worker->sizes, 0) >= worker->sizes.n / 2)
		call_collector(session);
	chunk = await_chunk(worker, session, &held, why);
	if (chunk == CHUNK_NONE)
		return false;
	worker->ran = ran;
	worker->chunk_ids = ids_recorded(worker, kind);
	begin_chunk(worker, chunk);
out:
	held_ticks = worker_ticks(worker) - held_ticks;
	if (held && held_ticks)
		worker_put(worker, WIRE_TRACER, held_ticks);
	return true;
}

/* The worker looks up next where its chunk ends, or at once if the recording was stopped meanwhile.
 */
static void set_limit(struct worker *worker, const struct session *session)
{
	atomic_store(&worker->limit, worker->chunk_limit);
	if (shut_why(session) || atomic_load(&session->frozen)) /* set before the limits are */
		atomic_store(&worker->limit, 0);
}

/* What is put before an event: of gaps, of a wait and of probes; and no call stores more at once
 * than MOST. */
enum { NOTES = 3 * WIRE_LOSS_OLD + 4 + PROBE_NOTES, MOST = 4 };
_Static_assert(NOTES + MOST < CHUNK_SPARE && 2 * CHUNK_SPARE < CHUNK_EVENTS_MIN, "room for notes");

static bool worker_room(struct worker *worker, enum wire_kind kind)
{
	struct session *session = session_get();
	enum wire_loss shut = shut_why(session), why = WIRE_LOSS_RING;

	if (atomic_load(&session->frozen) && session_is_ours(session))
		gate_rest(session, worker);
	if (atomic_load_explicit(&session->state, memory_order_relaxed) != SESSION_ON)
		return false; /* later than the trace's end */
	if (!session_is_ours(session))
		return false; /* a bare clone's events belong to no trace */
	if (shut)
		return drop_one(worker, kind, shut);
	if (worker->has_gap && !may_end_gap(worker, kind))
		return drop_one(worker, kind, worker->newest_gap);
	while (is_at_end(worker) && !next_chunk(worker, session, kind, &why)) {
		shut = shut_why(session);
		if (why && !shut)
			continue; /* it was stopped, and is started again: nothing is lost */
		return atomic_load(&session->state) == SESSION_ON && drop_one(worker, kind, shut);
	}
	if (worker->has_gap)
		note_gaps(worker, session, kind);
	set_limit(worker, session);
	return true;
}

bool worker_make_room(struct worker *worker, enum wire_kind kind, uint64_t b)
{
	bool room;

	if (__builtin_expect(!worker->probed, 1))
		return worker_room(worker, kind);
	probes_before(worker, kind, b);
	room = probes_have_room(worker) || probes_made_room(worker, worker_room(worker, kind));
	if (room)
		probes_after(worker, kind, __builtin_frame_address(0));
	return room;
}
