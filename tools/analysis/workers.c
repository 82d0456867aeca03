/* SPDX-License-Identifier: MIT */
/* workers.c - keeps each worker's state, and counts them. */
#include "tools/analysis/workers.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

enum { RELEASED, HELD, TURNS }; /* worker_change.what; at one instant in that order */

ORDER(by_time, struct worker_change, BY_LEAST(ns) ?: BY_LEAST(what))

static void add(struct workers *workers, uint64_t ns, uint32_t worker, uint8_t what)
{
	workers->change[workers->n_changes++] = (struct worker_change){ ns, worker, what };
}

void workers_open(struct workers *workers, const struct dag *dag, const struct pauses *pauses,
		  uint16_t runtimes)
{
	const struct tracer *tracer = &pauses->tracer;

	*workers = (struct workers){ 0 };
	workers->now = xcalloc(dag->n_slots + 1ull, sizeof(*workers->now));
	workers->change = xmalloc((pauses->n_turns + 2 * tracer->n + 1) * sizeof(*workers->change));
	workers->n[STATE_IDLE] = dag->n_slots;
	for (uint32_t w = 0; w < dag->n_slots; w++)
		workers->now[w].state = STATE_IDLE;
	for (uint64_t i = 0; i < pauses->n_turns; i++)
		add(workers, pauses->turn[i].ns, pauses->turn[i].worker, TURNS);
	for (uint64_t i = 0; i < tracer->n; i++) {
		const struct tracer_span *span = &tracer->span[i];

		if (!(dag->worker_runtimes[span->worker] & runtimes) || dag->beside[span->worker])
			continue;
		add(workers, span->from_ns, span->worker, HELD);
		add(workers, span->to_ns, span->worker, RELEASED);
	}
	SORT(workers->change, workers->n_changes, by_time);
	workers->change[workers->n_changes].ns = UINT64_MAX;
}

void workers_close(struct workers *workers)
{
	free(workers->now);
	free(workers->change);
	*workers = (struct workers){ 0 };
}

uint32_t workers_turn(struct workers *workers)
{
	const struct worker_change *change = &workers->change[workers->at++];
	struct worker_now *now = &workers->now[change->worker];

	if (change->what == TURNS)
		now->turned = now->after & PAUSE_TURNS; /* another runtime's does not */
	else
		now->held = change->what == HELD;
	workers_set(workers, now,
		    now->runs	  ? STATE_RUNNING
		    : now->turned ? STATE_RUNTIME
		    : now->after  ? pause_state(now->after)
				  : STATE_IDLE);
	return change->worker;
}
