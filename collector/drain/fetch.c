/* SPDX-License-Identifier: MIT */
/* fetch.c - copies fresh events to the ring.  The words are the program's, and not trusted. */
#include "collector/drain/fetch.h"

#include <sched.h>
#include <stdlib.h>

#include "collector/session/clock.h"
#include "collector/session/handed.h"
#include "collector/session/point.h"

/* Handing over takes a worker some us, and growing its ring some ms.  Who has no CPU may take
 * seconds: nothing is lost by not waiting for it. */
#ifndef FETCH_PATIENCE_NS
#define FETCH_PATIENCE_NS 100000000u
#endif

/* Claims the word, in a way that tells of what it was.  False if the worker has it. */
static bool claim(struct worker *worker, uint64_t *handed, bool patient)
{
	uint64_t until_ns = 0;

	for (;;) {
		*handed = worker_handed(worker);
		if (handed_claim(*handed) != HANDED_BY_WORKER &&
		    atomic_compare_exchange_strong(&worker->handed, handed,
						   handed_claimed(*handed, HANDED_BY_COLLECTOR)))
			return true;
		if (!patient || (until_ns && clock_monotonic_ns() > until_ns))
			return false;
		if (!until_ns)
			until_ns = clock_monotonic_ns() + FETCH_PATIENCE_NS;
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

bool fetch(struct worker *worker, uint64_t n_most, bool patient)
{
	const struct wire_event *fresh = worker_fresh(worker, n_most);
	struct wire_event *slot = worker_slots(worker);
	uint64_t n_slots, handed, given, base, n;

	if (!worker->thins)
		return true;
	if (!claim(worker, &handed, patient))
		return false;
	test_point("fetch:claimed");
	n_slots = fetch_slots(worker, n_most); /* it does not grow while the word is claimed */
	given = handed_given(handed, atomic_load_explicit(&worker->tail, memory_order_relaxed));
	base = handed_base(handed, atomic_load_explicit(&worker->head, memory_order_acquire));
	n = fitting(worker, n_slots, given, base);
	for (uint64_t i = 0; i < n; i++)
		slot[(given + i) & (n_slots - 1)] = fresh[(base + i) & (FRESH_SLOTS - 1)];
	test_point("fetch:copied");
	atomic_store_explicit(&worker->handed, handed_make(given + n, base + n, HANDED_FREE),
			      memory_order_release);
	test_point("fetch:given");
	return true;
}

/* The worker writes over them once the word has changed, and not before. */
__attribute__((no_sanitize("thread"))) void
fetch_copy(struct wire_event *to, const struct wire_event *fresh, uint64_t base, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct wire_event *event = &fresh[(base + i) & (FRESH_SLOTS - 1)];

		/* the word is read again after what it vouches for */
		to[i].a = __atomic_load_n(&event->a, __ATOMIC_ACQUIRE);
		to[i].b = __atomic_load_n(&event->b, __ATOMIC_ACQUIRE);
	}
}

bool fetch_rest(struct worker *worker, uint64_t n_most, uint64_t given, struct fetch_rest *rest)
{
	uint64_t handed = worker_handed(worker);
	uint64_t head = atomic_load_explicit(&worker->head, memory_order_acquire);
	uint64_t base = handed_base(handed, head);

	rest->n = 0;
	if (handed_claim(handed) != HANDED_BY_WORKER || handed_given(handed, given) != given)
		return false;
	if (!rest->event)
		rest->event = malloc(FRESH_SLOTS * sizeof(*rest->event));
	if (!rest->event || head - base > FRESH_SLOTS)
		return false;
	test_point("rest:found");
	fetch_copy(rest->event, worker_fresh(worker, n_most), base, (uint32_t)(head - base));
	test_point("rest:read");
	if (worker_handed(worker) == handed)
		rest->n = (uint32_t)(head - base);
	return rest->n != 0;
}

void fetch_rest_free(struct fetch_rest *rest)
{
	free(rest->event);
	*rest = (struct fetch_rest){ 0 };
}
