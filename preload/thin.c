/* SPDX-License-Identifier: MIT */
/* thin.c - thins what a worker has made and hands the remains over. */
#include "preload/thin.h"

#include <errno.h>

#include "preload/callpath.h"
#include "preload/room.h"
#include "preload/session.h"

#define BEHIND_PARTS 4u /* with less room than this part of a ring, the collector is behind */

/* Of one worker, in this process alone. */
struct thin {
	struct thinner *thinner;
	bool failed; /* no memory for it */
	struct wire_event out[2 * FRESH_SLOTS];
};

/* What is fresh, and where it goes. */
struct batch {
	uint64_t handed; /* as it was then */
	uint64_t given, base;
	int64_t room; /* slots of the ring */
	uint32_t n;
	const struct wire_event *event; /* n_out of them; NULL: those of `fresh` */
	uint32_t n_out;
};

bool thin_on(const struct session *session)
{
	return session_collector()->thin && session->hold_slots && !callpath_on();
}

static void *map_if_room(size_t bytes)
{
	int saved = errno;
	void *memory = room_for(bytes) ? room_map(bytes) : NULL;

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
static uint32_t n_cpus(const struct session_facts *facts)
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
		       n_cpus(&session->facts) ||
	       (uint64_t)batch->room < n_slots / BEHIND_PARTS;
}

static void thin_out(struct worker *worker, struct session *session, struct batch *batch)
{
	struct thin *thin = pays(worker, session, batch) ? thin_of(worker) : NULL;
	struct thin_source source = { .slot = worker->slot,
				      .first = batch->base,
				      .mask = worker->mask,
				      .n = batch->n,
				      .worker = worker->index };

	if (!thin)
		return;
	follow(worker, batch->base);
	source.n_ids = worker->thin_ids;
	batch->n_out = session_collector()->thin(thin->thinner, session, &source, thin->out);
	if (batch->n_out && batch->n_out < batch->n)
		batch->event = thin->out;
	else
		batch->n_out = batch->n;
}

static struct batch batch_of(struct worker *worker)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_acquire);
	struct batch batch = { .handed = worker_handed(worker) };

	batch.given = handed_given(batch.handed, tail);
	batch.base = handed_base(batch.handed, head);
	batch.room = (int64_t)(worker->ring_mask + 1 - THIN_SPARE - (batch.given - tail));
	batch.n = batch.n_out = (uint32_t)(head - batch.base);
	return batch;
}

/* Copies n events to the ring, behind `given`; from a ring, too. */
static void copy_out(struct worker *worker, const struct batch *batch)
{
	struct wire_event *slot = worker_slots(worker);
	const uint64_t mask = worker->ring_mask;

	if (batch->event)
		for (uint32_t i = 0; i < batch->n_out; i++)
			slot[(batch->given + i) & mask] = batch->event[i];
	else
		for (uint32_t i = 0; i < batch->n_out; i++)
			slot[(batch->given + i) & mask] =
				worker->slot[(batch->base + i) & worker->mask];
}

/* Hands the batch over.  False if the collector was faster. */
static bool commit(struct worker *worker, const struct batch *batch)
{
	uint64_t handed = batch->handed, claimed = handed_claimed(handed, HANDED_BY_WORKER);

	if (!atomic_compare_exchange_strong(&worker->handed, &handed, claimed))
		return false;
	copy_out(worker, batch);
	return atomic_compare_exchange_strong(
		&worker->handed, &claimed,
		handed_make(batch->given + batch->n_out, batch->base + batch->n, HANDED_FREE));
}

/* A claim of the worker's own is of a thread that is gone. */
enum thin_end thin_hand_over(struct worker *worker, struct session *session, uint64_t n_ids)
{
	struct batch batch;

	do {
		batch = batch_of(worker);
		if (handed_claim(batch.handed) == HANDED_BY_COLLECTOR)
			return THIN_TAKEN;
		if (batch.n == 0)
			break;
		if (batch.room < (int64_t)batch.n)
			return THIN_FULL;
		thin_out(worker, session, &batch);
	} while (!commit(worker, &batch));
	worker->thin_at = batch.base + batch.n;
	worker->thin_ids = n_ids;
	return THIN_DONE;
}
