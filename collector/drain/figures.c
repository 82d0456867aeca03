/* SPDX-License-Identifier: MIT */
/* figures.c - adds up what workers, streams and threads count. */
#include "collector/drain/figures.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/drain/drain.h"

uint64_t figures_lost(struct drain *drain)
{
	return figures_of(drain).lost;
}

static void add_worker(struct figures *figures, struct drain *drain, struct worker *worker)
{
	uint64_t last_units = checkpoint_written(drain, worker)->last_units;
	/* address space: pages that were never used take no memory */
	uint64_t n_slots = (uint64_t)atomic_load(&worker->n_chunks) * drain->chunks.slots;

	figures->memory_bytes += n_slots * sizeof(struct wire_event);
	figures->lost += atomic_load(&worker->lost) + worker->n_past;
	figures->waited_ns += atomic_load(&worker->waited_ns);
	if (last_units > figures->last_units)
		figures->last_units = last_units;
}

struct figures figures_of(struct drain *drain)
{
	struct figures figures = {
		.n_workers = stream_workers(drain),
		.lost = drain->definitions.predecessor.n_died,
		/* recovering has a log of its own, which takes whatever there is */
		.memory_bytes =
			drain->as_is ? drain->session->flight_bytes : drain->flight.max_bytes,
	};

	for (uint32_t i = 0; i < figures.n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			add_worker(&figures, drain, worker);
	}
	for (uint32_t i = 0; i < drain->threads.n; i++)
		figures.cpu_ns += drain->threads.at[i]->cpu_ns;
	return figures;
}

/*
 * Events that the worker made and nobody took.  Its own count is compared with ours: the one at
 * the end or, if the process has ended, the last one.
 */
static uint64_t count_untaken(const struct drain *drain, const struct worker *worker, uint32_t w,
			      uint64_t taken)
{
	const struct after_end *after_end = &drain->after_end;
	uint64_t made = taken;

	if (drain->as_is) /* what `recover` copied begins elsewhere */
		return 0;
	if (after_end->head && w < after_end->n)
		made = after_end->head[w];
	else if (drain->last && atomic_load(&drain->session->state) != SESSION_CLOSED)
		made = atomic_load(&worker->head);
	return made > taken ? made - taken : 0;
}

void figures_made(struct drain *drain, struct definitions_end *end)
{
	uint32_t n_workers = stream_workers(drain);

	for (uint32_t i = 0; i < n_workers; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (!worker)
			continue;
		const struct checkpoint *reached = stream_reached(drain, worker, i);

		end->untaken_events += count_untaken(drain, worker, i, reached->number);
		end->made_events += reached->number + atomic_load(&worker->lost);
		end->made_tasks += reached->n_tasks + atomic_load(&worker->lost_tasks);
	}
}

/* strerror() may speak the program's language. */
const char *figures_unwritten(const struct drain *drain)
{
	uint32_t unwritten = atomic_load(&drain->session->unwritten);

	switch (drain->file.full ? (uint32_t)-drain->file.full : unwritten) {
	case 0:
		return NULL;
	case ENOSPC:
		return "no space left";
	case EDQUOT:
		return "disk quota exceeded";
	case EFBIG:
		return "file size limit reached";
	case ENOMEM:
		return "out of memory";
	default:
		return "input/output error";
	}
}

/* ---- after the end ---- */

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
