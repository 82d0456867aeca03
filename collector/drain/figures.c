/* SPDX-License-Identifier: MIT */
/* figures.c - adds up what workers, streams and threads count. */
#include "collector/drain/figures.h"

#include <errno.h>

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
	default:
		return "input/output error";
	}
}
