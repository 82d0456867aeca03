/* SPDX-License-Identifier: MIT */
/* thin.c - thins a worker's chunk into another. */
#include "preload/thin.h"

#include <string.h>

#include "preload/budget.h"
#include "preload/session.h"

#define BEHIND_PARTS 8u /* a collector that leaves no more than this part of the chunks is behind  \
			 */

bool thin_on(const struct session *session)
{
	return session_collector()->thin && session->pending_slots;
}

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

bool thin_pays(struct worker *worker, const struct session *session)
{
	uint32_t n = worker->sizes.n, n_full = chunk_count_full(worker, &worker->sizes, 0);

	return atomic_load_explicit(&session->n_workers, memory_order_relaxed) >=
		       n_cpus(&session->process) ||
	       n_full + 2 + n / BEHIND_PARTS >= n;
}

uint32_t thin_chunk(struct worker *worker, struct session *session, uint32_t n, uint32_t to)
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
