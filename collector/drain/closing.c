/* SPDX-License-Identifier: MIT */
/* closing.c - counts what rings get between the end of a trace and the writing of it. */
#include "collector/drain/closing.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/drain/drain.h"

void closing_open(struct drain *drain, uint64_t ticks)
{
	struct closing *closing = &drain->closing;

	closing_free(closing);
	closing->n = stream_workers(drain);
	closing->ticks = ticks;
	closing->head = calloc(closing->n + 1, sizeof(*closing->head));
	for (uint32_t i = 0; closing->head && i < closing->n; i++) {
		const struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			closing->head[i] = atomic_load(&worker->head);
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

/* Adds up the tasks that a ring's events from `from` on make and begin. */
static void count(const struct drain *drain, struct worker *worker, uint64_t from, uint64_t *n_made,
		  uint64_t *n_begun)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);
	const struct wire_event *slot =
		worker->thins ? worker_fresh(worker, drain->n_slots) : worker_slots(worker);
	uint64_t mask = (worker->thins ? FRESH_SLOTS : stream_slots(drain, worker)) - 1;

	if (head - from > mask) /* it came round, or somebody wrote over it */
		from = head - mask;
	for (; from != head; from++) {
		unsigned kind = event_kind(&slot[from & mask]);

		*n_made += makes_task(kind);
		*n_begun += begins_task(kind);
	}
}

void closing_put(const struct drain *drain, struct lines *out)
{
	const struct closing *closing = &drain->closing;
	uint32_t n = closing->head ? stream_workers(drain) : 0;
	uint64_t n_made = 0, n_begun = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct worker *worker = drain->worker_at(drain->arg, i);

		if (worker)
			count(drain, worker, i < closing->n ? closing->head[i] : 0, &n_made,
			      &n_begun);
	}
	if (n_made < n_begun)
		n_made = n_begun;
	if (n_made)
		lines_print(
			out,
			"meta closed %llu\nmeta tasks_after_end %llu\nmeta tasks_after_end_until "
			"%llu\n",
			(unsigned long long)(closing->ticks >> drain->shift),
			(unsigned long long)n_made,
			(unsigned long long)(clock_ticks_by(&drain->session->clock) >>
					     drain->shift));
}

void closing_free(struct closing *closing)
{
	free(closing->head);
	*closing = (struct closing){ 0 };
}
