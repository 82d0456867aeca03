/* SPDX-License-Identifier: MIT */
/* checkpoint.c - moves checkpoints on, and makes them known. */
#include "collector/drain/checkpoint.h"

#include "collector/collapse/collapse.h"
#include "collector/drain/drain.h"
#include "collector/session/point.h"

struct checkpoint *checkpoint_written(const struct drain *drain, struct worker *worker)
{
	struct checkpoint *at = &worker->written[0];

	if (worker->written[1].n_blocks > at->n_blocks)
		at = &worker->written[1];
	if (at->n_blocks == 0)
		at->last_units = drain->begin_units;
	return at;
}

/* The task whose strand runs behind the events.  One that begins where it is made has the worker's
 * last id. */
static uint64_t running_after(const struct slice *events, uint64_t running)
{
	for (uint32_t i = events->n; i-- > 0;) {
		unsigned kind = event_kind(&events->slot[i]);

		if (kind == WIRE_BEGIN || kind == WIRE_RESUME)
			return events->slot[i].b;
		if (kind_begins(kind))
			return id_make(events->worker, events->n_ids);
		if (kind_ends(kind) || kind == WIRE_LOST)
			return 0;
	}
	return running;
}

/* The time of the last timed event, as the encoder reckons it. */
static uint64_t units_after(const struct passed *events, uint64_t last_units)
{
	const uint64_t mask = UINT64_MAX >> 8 >> events->shift;

	for (uint32_t i = events->slice.n; i-- > 0;) {
		const struct wire_event *event = &events->slice.slot[i];
		uint64_t since = ((event_ticks(event) >> events->shift) - last_units) & mask;

		if (kind_timed(event_kind(event)))
			return since <= mask / 2 ? last_units + since : last_units;
	}
	return last_units;
}

static uint64_t count_dropped(const struct passed *events)
{
	uint64_t n = 0;

	for (uint32_t i = 0; events->any_lost && i < events->slice.n; i++) {
		const struct wire_event *event = &events->slice.slot[i];

		if (event_kind(event) == WIRE_LOST && lost_why(event->b) != WIRE_LOSS_STOPPED)
			n += lost_n(event->b);
	}
	return n;
}

void checkpoint_pass(struct checkpoint *at, const struct passed *events, uint64_t n_tasks)
{
	at->number = events->number;
	at->last_units = units_after(events, at->last_units);
	at->n_ids = events->slice.n_ids;
	at->running = running_after(&events->slice, at->running);
	at->n_dropped += count_dropped(events);
	at->n_tasks += n_tasks;
}

/* Into the half that is not valid. */
void checkpoint_publish(struct worker *worker, const struct checkpoint *reached)
{
	int half = worker->reached[1].number <= worker->reached[0].number;

	worker->reached[half] = *reached;
	test_point("take:noted");
}

const struct checkpoint *checkpoint_find(struct worker *worker, const struct chunk_sizes *sizes,
					 uint64_t number)
{
	for (int i = 0; i < 2; i++)
		if (worker->reached[i].number == number)
			return &worker->reached[i];
	for (uint32_t i = 0; i < sizes->n; i++)
		if (chunk_at(worker, i)->before.number == number)
			return &chunk_at(worker, i)->before;
	return NULL;
}
