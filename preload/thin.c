/* SPDX-License-Identifier: MIT */
/* thin.c - thins what a worker has made and hands the remains over. */
#include "preload/thin.h"

#include <errno.h>
#include <string.h>

#include "preload/budget.h"
#include "preload/session.h"
#include "collector/session/point.h"

/* With less room than this part of a ring, the collector is behind: one that keeps up leaves as
 * much as three quarters of the ring taken, half of it until a block is written. */
#define BEHIND_PARTS 8u

/* Of one worker, in this process alone. */
struct thin {
	struct thinner *thinner;
	bool failed; /* no memory for it */
	bool full;   /* what was left found no room, with the tail there: */
	uint64_t full_at;
	struct wire_event out[2 * FRESH_SLOTS];
};

/* What is fresh, and where it goes. */
struct batch {
	uint64_t handed; /* as it was then */
	uint64_t given, base, tail;
	int64_t room; /* slots of the ring */
	uint32_t n;
	/* what goes to the ring: of `fresh`, or what is left of that */
	const struct wire_event *out;
	uint64_t first, mask;
	uint32_t n_out;
};

bool thin_on(const struct session *session)
{
	return session_collector()->thin && session->hold_slots;
}

static void *map_if_room(size_t bytes)
{
	int saved = errno;
	void *memory = budget_allows_own(bytes) ? map_zeroed(bytes) : NULL;

	errno = saved;
	return memory;
}

/* What thinning takes; NULL without memory for it: then events are handed over as they are. */
static struct thin *thin_of(struct worker *worker)
{
	struct thin *thin = worker->thin;

	if (!thin)
		thin = worker->thin = map_if_room(sizeof(*thin));
	if (thin && !thin->thinner && !thin->failed) {
		thin->thinner = map_if_room(session_collector()->thinner_bytes());
		thin->failed = !thin->thinner;
	}
	return thin && thin->thinner ? thin : NULL;
}

/*
 * Follows the collector, which may have handed over what lies before `base`.  The worker looks up
 * before it overwrites that.
 */
static void follow(struct worker *worker, uint64_t base)
{
	for (; worker->thin_at != base; worker->thin_at++) {
		const struct wire_event *event = &worker->slot[worker->thin_at & worker->mask];

		worker->thin_ids = ids_after(event_kind(event), event->b, worker->thin_ids);
	}
}

void thin_follow(struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);

	follow(worker, handed_base(worker_handed(worker), head));
}

/* CPUs that the program could use when it began; 0: not known. */
static uint32_t n_cpus(const struct process_info *facts)
{
	uint64_t quota = facts->quota_milli / 1000;

	return facts->quota_milli && quota < facts->affinity ? (uint32_t)quota : facts->affinity;
}

/*
 * Whether the worker has to do it: the collector has no CPU of its own, or is behind.  Else it has
 * the time to collapse what a worker makes.
 */
static bool pays(const struct worker *worker, const struct session *session,
		 const struct batch *batch)
{
	uint64_t n_slots = worker->ring_mask + 1;

	return atomic_load_explicit(&session->n_workers, memory_order_relaxed) >=
		       n_cpus(&session->process) ||
	       batch->room < (int64_t)(n_slots / BEHIND_PARTS);
}

/* Whether it was thinned in vain, and nothing has been taken since. */
static bool is_vain(const struct worker *worker, const struct batch *batch)
{
	return worker->thin && worker->thin->full && worker->thin->full_at == batch->tail;
}

static void thin_out(struct worker *worker, struct session *session, struct batch *batch)
{
	struct thin *thin =
		pays(worker, session, batch) && !is_vain(worker, batch) ? thin_of(worker) : NULL;
	struct thin_source source = { .slot = worker->slot,
				      .first = batch->base,
				      .mask = worker->mask,
				      .n = batch->n,
				      .worker = worker->index };
	uint32_t n;

	if (!thin)
		return;
	follow(worker, batch->base);
	source.n_ids = worker->thin_ids;
	n = session_collector()->thin(thin->thinner, session, &source, thin->out);
	if (n && n < batch->n) {
		batch->out = thin->out;
		batch->first = 0;
		batch->mask = sizeof(thin->out) / sizeof(thin->out[0]) - 1;
		batch->n_out = n;
	}
	thin->full = batch->room < (int64_t)batch->n_out;
	thin->full_at = batch->tail;
}

static struct batch batch_of(const struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	struct batch batch = { .handed = worker_handed(worker) };

	batch.tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	batch.given = handed_given(batch.handed, batch.tail);
	batch.base = handed_base(batch.handed, head);
	batch.room = (int64_t)(worker->ring_mask + 1 - THIN_SPARE - (batch.given - batch.tail));
	batch.n = batch.n_out = (uint32_t)(head - batch.base);
	batch.out = worker->slot;
	batch.first = batch.base;
	batch.mask = worker->mask;
	return batch;
}

/* Copies the batch to the ring, behind `given`, in as few pieces as the ends of both make. */
static void copy_out(struct worker *worker, const struct batch *batch)
{
	struct wire_event *slot = worker_slots(worker);
	const uint64_t mask = worker->ring_mask;

	for (uint64_t done = 0, n; done < batch->n_out; done += n) {
		uint64_t to = (batch->given + done) & mask,
			 from = (batch->first + done) & batch->mask;

		n = batch->n_out - done;
		if (n > mask + 1 - to)
			n = mask + 1 - to;
		if (n > batch->mask + 1 - from)
			n = batch->mask + 1 - from;
		memcpy(&slot[to], &batch->out[from], n * sizeof(*slot));
	}
}

/* Hands the batch over.  False if the collector was faster. */
static bool commit(struct worker *worker, const struct batch *batch)
{
	uint64_t handed = batch->handed, claimed = handed_claimed(handed, HANDED_BY_WORKER);

	if (!atomic_compare_exchange_strong(&worker->handed, &handed, claimed))
		return false;
	test_point("hand:claimed");
	copy_out(worker, batch);
	test_point("hand:copied");
	atomic_store_explicit(
		&worker->handed,
		handed_make(batch->given + batch->n_out, batch->base + batch->n, HANDED_FREE),
		memory_order_release);
	test_point("hand:given");
	return true;
}

/* A claim of the worker's own is of a thread that had the worker before, and is gone. */
enum thin_end thin_hand_over(struct worker *worker, struct session *session, uint64_t n_ids)
{
	struct batch batch;

	do {
		batch = batch_of(worker);
		if (handed_claim(batch.handed) == HANDED_BY_COLLECTOR)
			return THIN_TAKEN;
		if (batch.n == 0)
			break;
		thin_out(worker, session, &batch);
		if (batch.room < (int64_t)batch.n_out)
			return THIN_FULL;
	} while (!commit(worker, &batch));
	worker->thin_at = batch.base + batch.n;
	worker->thin_ids = n_ids;
	return THIN_DONE;
}
