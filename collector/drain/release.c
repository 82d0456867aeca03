/* SPDX-License-Identifier: MIT */
/* release.c - gives slots of rings back, and notes what was in them. */
#include "collector/drain/release.h"

#include "collector/drain/drain.h"
#include "collector/session/futex.h"
#include "collector/session/point.h"

struct worker_taken *release_taken(struct drain *drain, struct worker *worker)
{
	struct worker_taken *taken = &worker->taken[0];

	if (worker->taken[1].n_blocks > taken->n_blocks)
		taken = &worker->taken[1];
	if (taken->n_blocks == 0)
		taken->last_units = drain->begin_units;
	return taken;
}

void release_slots(struct worker *worker, uint64_t tail)
{
	if (!release_before(atomic_load_explicit(&worker->tail, memory_order_relaxed), tail))
		return;
	atomic_store_explicit(&worker->tail, tail, memory_order_release);
	test_point("take:moved");
	atomic_fetch_add(&worker->tail_moves, 1);
	if (atomic_load(&worker->waiting))
		futex_wake(&worker->tail_moves);
}

bool release_is_early(const struct drain *drain)
{
	return drain->session->process.ring == 0;
}

uint64_t release_running(const struct encode_source *source, uint32_t worker, uint64_t running)
{
	for (uint32_t i = source->n; i-- > 0;) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];

		unsigned kind = event_kind(event);

		if (kind == WIRE_BEGIN || kind == WIRE_RESUME)
			return event->b;
		if (kind_begins(kind))
			return id_make(worker, source->n_ids);
		if (kind_ends(kind) || kind == WIRE_LOST)
			return 0;
	}
	return running;
}

/* The time of the last timed event that has just been taken, as the encoder reckons it. */
static uint64_t units_after(const struct encode_source *source, uint64_t last_units)
{
	const uint64_t mask = UINT64_MAX >> 8 >> source->shift;

	for (uint32_t i = source->n; i-- > 0;) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];
		uint64_t since = ((event_ticks(event) >> source->shift) - last_units) & mask;

		if (kind_timed(event_kind(event)))
			return since <= mask / 2 ? last_units + since : last_units;
	}
	return last_units;
}

struct worker_taken release_stand(struct drain *drain, struct worker *worker)
{
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	const struct worker_taken *taken = release_taken(drain, worker);

	for (int i = 0; i < 2; i++)
		if (worker->released[i].slots == tail && release_before(taken->slots, tail))
			return worker->released[i];
	return *taken;
}

/* Events that those of the source say are lost. */
static uint64_t count_dropped(const struct encode_source *source)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < source->n; i++) {
		const struct wire_event *event = &source->slot[(source->first + i) & source->mask];

		if (event_kind(event) == WIRE_LOST && lost_why(event->b) != WIRE_LOSS_STOPPED)
			n += lost_n(event->b);
	}
	return n;
}

uint64_t release_dropped(struct drain *drain, struct worker *worker,
			 const struct encode_source *source)
{
	if (release_is_early(drain)) /* the slots may be others by now */
		return release_stand(drain, worker).n_dropped -
		       release_taken(drain, worker)->n_dropped;
	return atomic_load_explicit(&worker->lost, memory_order_relaxed) ? count_dropped(source)
									 : 0;
}

struct worker_made release_made(const struct wire_event *slot, uint64_t first, uint64_t mask,
				uint64_t n)
{
	struct worker_made made = { 0 };

	for (uint64_t i = 0; i < n; i++) {
		const struct wire_event *event = &slot[(first + i) & mask];

		made.events += events_made(event);
		made.tasks += tasks_made(event_kind(event), event->b);
	}
	return made;
}

void release_early(struct drain *drain, struct worker *worker, uint32_t index,
		   const struct encode_source *source, const struct worker_made *made)
{
	struct worker_taken stand = release_stand(drain, worker);
	uint64_t tail = atomic_load_explicit(&worker->tail, memory_order_relaxed);
	int half = worker->released[0].slots == tail;

	stand.slots = source->first + source->n;
	stand.last_units = units_after(source, stand.last_units);
	stand.n_ids = source->n_ids;
	stand.running = release_running(source, index, stand.running);
	if (atomic_load_explicit(&worker->lost, memory_order_relaxed))
		stand.n_dropped += count_dropped(source);
	release_add(&stand.made, made);
	worker->released[half] = stand;
	test_point("take:noted");
	release_slots(worker, stand.slots);
}
