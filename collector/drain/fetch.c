/* SPDX-License-Identifier: MIT */
/* fetch.c - copies fresh events to the ring.  The words are the program's, and not trusted. */
#include "collector/drain/fetch.h"

#include <sched.h>

#include "preload/session/clock.h"
#include "preload/session/handed.h"

#define PATIENCE_NS 1000000000u /* handing over takes a worker some us */

/* Claims the word, in a way that tells of what it was.  False if the worker has it for now. */
static bool claim(struct worker *worker, uint64_t *handed, bool patient)
{
	uint64_t until_ns = 0;

	for (;;) {
		*handed = worker_handed(worker);
		bool free = handed_claim(*handed) != HANDED_BY_WORKER ||
			    (until_ns && clock_monotonic_ns() > until_ns);

		if (free &&
		    atomic_compare_exchange_strong(&worker->handed, handed,
						   handed_claimed(*handed, HANDED_BY_COLLECTOR)))
			return true;
		if (!patient)
			return false;
		if (!until_ns)
			until_ns = clock_monotonic_ns() + PATIENCE_NS;
		sched_yield();
	}
}

/* How many of the fresh events the ring has room for. */
static uint64_t fitting(const struct worker *worker, uint64_t n_slots, uint64_t given,
			uint64_t base)
{
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);
	uint64_t lead = given - atomic_load_explicit(&worker->tail, memory_order_relaxed);
	uint64_t n_fresh = head - base <= FRESH_SLOTS ? head - base : 0;

	if (lead > n_slots)
		return 0;
	return n_fresh < n_slots - lead ? n_fresh : n_slots - lead;
}

uint64_t fetch_slots(const struct worker *worker, uint64_t n_most)
{
	uint64_t n = worker_n_slots(worker);

	return n == 0 || n > n_most || n & (n - 1) ? n_most : n;
}

void fetch(struct worker *worker, uint64_t n_most, bool patient)
{
	const struct wire_event *fresh = worker_fresh(worker, n_most);
	struct wire_event *slot = worker_slots(worker);
	uint64_t n_slots, handed, given, base, n;

	if (!worker->thins || !claim(worker, &handed, patient))
		return;
	n_slots = fetch_slots(worker, n_most); /* it does not grow while the word is claimed */
	given = handed_given(handed, atomic_load_explicit(&worker->tail, memory_order_relaxed));
	base = handed_base(handed, atomic_load_explicit(&worker->head, memory_order_acquire));
	n = fitting(worker, n_slots, given, base);
	for (uint64_t i = 0; i < n; i++)
		slot[(given + i) & (n_slots - 1)] = fresh[(base + i) & (FRESH_SLOTS - 1)];
	atomic_store_explicit(&worker->handed, handed_make(given + n, base + n, HANDED_FREE),
			      memory_order_release);
}
