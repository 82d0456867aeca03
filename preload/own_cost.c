/* SPDX-License-Identifier: MIT */
/* own_cost.c - records into a ring of its own, with and without a program in between. */
#include "preload/own_cost.h"

#include "preload/record.h"
#include "preload/session.h"
#include "preload/trial.h"
#include "preload/worker_life.h"

/* The time between the events of such strands: in them, and from the first event to the last. */
static void add_up(const struct worker *worker, uint32_t n_strands, uint64_t *inside, uint64_t *all)
{
	const struct wire_event *event = worker->slot;

	for (uint32_t i = 0; i < n_strands; i++)
		*inside += event_ticks(&event[2 * i + 1]) - event_ticks(&event[2 * i]);
	*all += event_ticks(&event[2 * n_strands - 1]) - event_ticks(&event[0]);
}

/* How long so many strands take, with what a program does in and between them. */
static uint64_t strands_ns(struct worker *worker, int n_strands, bool recorded)
{
	uint64_t begin_ns = clock_monotonic_ns(), word = 0;

	for (int i = 0; i < n_strands; i++) {
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_RESUME, 0);
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_YIELD, 0);
	}
	__asm__ volatile("" : : "r"(word));
	return clock_monotonic_ns() - begin_ns;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * What two events take of a program that goes on meanwhile, in ps.  The least of many rounds, so
 * that it is no more than the truth.
 */
static uint64_t measure_amid(struct worker *worker)
{
	enum { STRANDS = 64, ROUNDS = 40 };
	uint64_t with_ns = UINT64_MAX, without_ns = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		with_ns = least(strands_ns(worker, STRANDS, true), with_ns);
		atomic_store_explicit(&worker->head, 0, memory_order_relaxed);
		without_ns = least(strands_ns(worker, STRANDS, false), without_ns);
	}
	return with_ns > without_ns ? (with_ns - without_ns) * 1000 / STRANDS : UINT64_MAX;
}

/*
 * The cost of one event, clock, ring and all, where the ring is in the cache, as it is where events
 * are many; and how much of two lies in the strand between them.  The cost is what a program takes
 * longer, or that of events one after the other if it is less.  Of a few rounds the first pays
 * for the memory; of the others the least counts, as an interrupt only ever adds.
 */
void own_cost_measure(struct session *session)
{
	enum { STRANDS = 256, ROUNDS = 8 };
	const struct chunk_sizes sizes = { .n = 1, .slots = 2 * STRANDS };
	uint64_t best_ns = UINT64_MAX, inside = 0, all = 0;
	struct worker *worker = worker_map(0, &sizes, sizes.slots, clock_slow(&session->clock));

	if (!worker)
		return;
	worker->limit = UINT64_MAX;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin_ns = clock_monotonic_ns(), ns;

		for (int i = 0; i < STRANDS; i++) {
			record_event(worker, WIRE_RESUME, 0);
			record_event(worker, WIRE_YIELD, 0);
		}
		ns = clock_monotonic_ns() - begin_ns;
		atomic_store_explicit(&worker->head, 0, memory_order_relaxed);
		if (round == 0)
			continue;
		best_ns = least(ns, best_ns);
		add_up(worker, STRANDS, &inside, &all);
	}
	uint64_t event_ps = least(best_ns * 1000 / STRANDS, measure_amid(worker)) / 2;

	worker_unmap(worker);
	atomic_store(&session->event_ps, (uint32_t)event_ps);
	atomic_store(&session->strand_ps, all ? (uint32_t)(2 * event_ps * inside / all) : 0);
}
