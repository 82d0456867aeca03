/* SPDX-License-Identifier: MIT */
/*
 * agenda.c - workers by the time of their next event: a heap with four children a node.
 *
 * An entry is one number, so that to compare two touches nothing else: the time since the epoch,
 * and below it the worker.  The epoch moves on with time, and times ahead of it fit into 49 bits.
 */
#include "tools/model/sim.h"

#include <errno.h>

#define CHILDREN 4u
#define WORKER_BITS 15u
#define WORKER_MASK ((1u << WORKER_BITS) - 1)
#define NS_MOST (UINT64_MAX >> WORKER_BITS)
_Static_assert(SIMULATE_WORKERS_MOST <= 1u << WORKER_BITS, "workers fit");

static uint32_t worker_of(uint64_t entry)
{
	return (uint32_t)entry & WORKER_MASK;
}

static void place(struct sim *sim, uint32_t at, uint64_t entry)
{
	sim->agenda[at] = entry;
	sim->agenda_at[worker_of(entry)] = at;
}

static void up(struct sim *sim, uint32_t at, uint64_t entry)
{
	for (; at; at = (at - 1) / CHILDREN) {
		uint64_t above = sim->agenda[(at - 1) / CHILDREN];

		if (entry > above)
			break;
		place(sim, at, above);
	}
	place(sim, at, entry);
}

/* Without a branch, which nobody could predict. */
static uint64_t first_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* To the last level first, and up from there: most events are of strands that begin now, and come
 * after most others. */
static void down(struct sim *sim, uint32_t at, uint64_t entry)
{
	const uint64_t *agenda = sim->agenda;
	uint32_t child, n = sim->n_agenda;

	while ((child = at * CHILDREN + 1) < n) {
		uint64_t best = agenda[child];
		uint32_t from;

		if (child + CHILDREN <= n)
			best = first_of(first_of(best, agenda[child + 1]),
					first_of(agenda[child + 2], agenda[child + 3]));
		else
			while (++child < n)
				best = first_of(best, agenda[child]);
		from = sim->agenda_at[worker_of(best)];
		place(sim, at, best);
		at = from;
	}
	up(sim, at, entry);
}

static void settle(struct sim *sim, uint32_t at, uint64_t entry)
{
	if (at && entry < sim->agenda[(at - 1) / CHILDREN])
		up(sim, at, entry);
	else
		down(sim, at, entry);
}

/* Entries are of now or later, and keep their order. */
static void move_epoch(struct sim *sim)
{
	uint64_t by = (sim->now_ns - sim->epoch_ns) << WORKER_BITS;

	for (uint32_t i = 0; i < sim->n_agenda; i++)
		sim->agenda[i] -= by;
	sim->epoch_ns = sim->now_ns;
}

void agenda_set(struct sim *sim, uint32_t worker, uint64_t ns)
{
	uint32_t at = sim->agenda_at[worker];
	uint64_t entry;

	if (ns - sim->epoch_ns > NS_MOST)
		move_epoch(sim);
	if (ns - sim->epoch_ns > NS_MOST) {
		sim->error = -EOVERFLOW;
		ns = sim->epoch_ns + NS_MOST;
	}
	entry = (ns - sim->epoch_ns) << WORKER_BITS | worker;
	if (at == NONE)
		up(sim, sim->n_agenda++, entry);
	else
		settle(sim, at, entry);
}

void agenda_remove(struct sim *sim, uint32_t worker)
{
	uint32_t at = sim->agenda_at[worker];
	uint64_t last;

	if (at == NONE)
		return;
	sim->agenda_at[worker] = NONE;
	last = sim->agenda[--sim->n_agenda];
	if (worker_of(last) != worker)
		settle(sim, at, last);
}

uint64_t agenda_ns(const struct sim *sim, uint32_t worker)
{
	return sim->epoch_ns + (sim->agenda[sim->agenda_at[worker]] >> WORKER_BITS);
}

uint32_t agenda_next(const struct sim *sim)
{
	return sim->n_agenda ? worker_of(sim->agenda[0]) : NONE;
}
