/* SPDX-License-Identifier: MIT */
/* after_end.c - counts what workers record between the end of a trace and the writing of it. */
#include "collector/drain/after_end.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/drain/drain.h"

void after_end_open(struct drain *drain, uint64_t ticks)
{
	struct after_end *after_end = &drain->after_end;

	after_end_free(after_end);
	after_end->n = stream_workers(drain);
	after_end->ticks = ticks;
	after_end->head = calloc(after_end->n + 1, sizeof(*after_end->head));
	for (uint32_t i = 0; after_end->head && i < after_end->n; i++) {
		const struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			after_end->head[i] = atomic_load(&worker->head);
	}
}

static bool makes_task(unsigned kind)
{
	return kind == WIRE_CREATE || kind == WIRE_FORK;
}

static bool begins_task(unsigned kind)
{
	return kind == WIRE_BEGIN || kind == WIRE_MEMBER || kind == WIRE_START;
}

/* Adds up the tasks that a worker's events from `from` on make and begin. */
static void count_tasks_since(const struct drain *drain, struct worker *worker, uint64_t from,
			      uint64_t *n_made, uint64_t *n_begun)
{
	struct chunk_events events;

	for (uint32_t k = 0; k <= drain->chunks.n; k++) {
		if (!chunk_find(worker, &drain->chunks, from, &events))
			return;
		for (uint32_t i = 0; i < events.n; i++) {
			unsigned kind = event_kind(&events.slot[i]);

			*n_made += makes_task(kind);
			*n_begun += begins_task(kind);
		}
		from = events.number + events.n - events.n_whole;
	}
}

void after_end_count(const struct drain *drain, struct definitions_end *end)
{
	const struct after_end *after_end = &drain->after_end;
	uint32_t n = after_end->head ? stream_workers(drain) : 0;
	uint64_t n_made = 0, n_begun = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			count_tasks_since(drain, worker, i < after_end->n ? after_end->head[i] : 0,
					  &n_made, &n_begun);
	}
	end->late_tasks = n_made < n_begun ? n_begun : n_made;
	end->closed_units = after_end->ticks >> drain->shift;
	end->late_units = clock_ticks_by(&drain->session->clock) >> drain->shift;
}

void after_end_free(struct after_end *after_end)
{
	free(after_end->head);
	*after_end = (struct after_end){ 0 };
}
