/* SPDX-License-Identifier: MIT */
/* own_cost.c - records into a worker of its own, with and without a program in between. */
#include "preload/trial.h"

#include "preload/record.h"
#include "preload/session.h"
#include "preload/worker_life.h"

enum { ROUNDS_LEAST = 4, AMID_ROUNDS = 40, AMID_STRANDS = 64, STRANDS = 256, ROUNDS = 8 };
#define ROUNDS_NS 500000u /* where the clock is slow, fewer rounds will do */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Later events overwrite earlier ones once there are so many; a round has fewer than half of the
 * slots. */
static uint64_t made_ns(void (*make)(bool recorded), bool recorded, uint64_t n_kept)
{
	struct worker *worker = worker_self();
	uint64_t begin_ns;

	if (worker && atomic_load(&worker->head) > n_kept)
		atomic_store(&worker->head, 0);
	begin_ns = clock_monotonic_ns();
	make(recorded);
	return clock_monotonic_ns() - begin_ns;
}

uint64_t trial_added_ps(struct worker *worker, void (*make)(bool recorded), int n_rounds,
			uint32_t n, uint64_t n_kept)
{
	uint64_t with_ns = UINT64_MAX, without_ns = UINT64_MAX, begin_ns = clock_monotonic_ns();
	struct worker *own = worker_self();

	worker_tls = worker;
	for (int round = 1; round <= n_rounds; round++) {
		with_ns = least(made_ns(make, true, n_kept), with_ns);
		without_ns = least(made_ns(make, false, n_kept), without_ns);
		if (round >= ROUNDS_LEAST && clock_monotonic_ns() - begin_ns > ROUNDS_NS)
			break;
	}
	worker_tls = own;
	worker_unmap(worker);
	return with_ns > without_ns ? (with_ns - without_ns) * 1000 / n : 0;
}

struct worker *trial_worker(uint32_t index, uint32_t slots, const struct clock *slow_clock)
{
	const struct chunk_sizes sizes = { .n = 1, .slots = slots };
	struct worker *worker = worker_map(index, &sizes, slots, slow_clock);

	if (worker)
		worker->limit = UINT64_MAX;
	return worker;
}

/* The time between the events of such strands: in them, and from the first event to the last. */
static void add_up(const struct wire_event *event, uint64_t *inside, uint64_t *all)
{
	for (uint32_t i = 0; i < 2 * STRANDS; i += 2)
		*inside += event_ticks(&event[i + 1]) - event_ticks(&event[i]);
	*all += event_ticks(&event[2 * STRANDS - 1]) - event_ticks(&event[0]);
}

/* Strands with what a program does in and between them. */
static void make_amid(bool recorded)
{
	struct worker *worker = worker_self();
	uint64_t word = 0;

	for (int i = 0; i < AMID_STRANDS; i++) {
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_RESUME, 0);
		word = trial_steps(word, NULL);
		if (recorded)
			record_event(worker, WIRE_YIELD, 0);
	}
	__asm__ volatile("" : : "r"(word));
}

/* Of a few rounds the first pays for the memory. */
void trial_events(struct session *session)
{
	uint64_t best_ns = UINT64_MAX, inside = 0, all = 0, amid_ps, event_ps;
	struct worker *worker = trial_worker(0, 2 * STRANDS, clock_slow(&session->clock));

	if (!worker)
		return;
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
		add_up(worker->slot, &inside, &all);
	}
	amid_ps = trial_added_ps(worker, make_amid, AMID_ROUNDS, AMID_STRANDS, 0);
	event_ps = least(best_ns * 1000 / STRANDS, amid_ps ? amid_ps : UINT64_MAX) / 2;
	atomic_store(&session->event_ps, (uint32_t)event_ps);
	atomic_store(&session->strand_ps, all ? (uint32_t)(2 * event_ps * inside / all) : 0);
}
