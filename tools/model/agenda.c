/* SPDX-License-Identifier: MIT */
/* agenda.c - workers by the time of their next event: a heap with four children a node. */
#include "tools/model/sim.h"

#define CHILDREN 4u

static bool before(const struct sim *sim, uint32_t a, uint32_t b)
{
	const struct virtual_worker *x = &sim->worker[a], *y = &sim->worker[b];

	return x->until_ns != y->until_ns ? x->until_ns < y->until_ns : a < b;
}

static void place(struct sim *sim, uint32_t at, uint32_t worker)
{
	sim->agenda[at] = worker;
	sim->worker[worker].at = at;
}

static void up(struct sim *sim, uint32_t at, uint32_t worker)
{
	for (; at; at = (at - 1) / CHILDREN) {
		uint32_t above = sim->agenda[(at - 1) / CHILDREN];

		if (!before(sim, worker, above))
			break;
		place(sim, at, above);
	}
	place(sim, at, worker);
}

static void down(struct sim *sim, uint32_t at, uint32_t worker)
{
	for (;;) {
		uint32_t child = at * CHILDREN + 1, best = NONE;

		for (uint32_t c = child; c < child + CHILDREN && c < sim->n_agenda; c++)
			if (best == NONE || before(sim, sim->agenda[c], sim->agenda[best]))
				best = c;
		if (best == NONE || !before(sim, sim->agenda[best], worker))
			break;
		place(sim, at, sim->agenda[best]);
		at = best;
	}
	place(sim, at, worker);
}

static void settle(struct sim *sim, uint32_t at, uint32_t worker)
{
	if (at && before(sim, worker, sim->agenda[(at - 1) / CHILDREN]))
		up(sim, at, worker);
	else
		down(sim, at, worker);
}

void agenda_set(struct sim *sim, uint32_t worker, uint64_t ns)
{
	struct virtual_worker *who = &sim->worker[worker];

	who->until_ns = ns;
	if (who->at == NONE)
		up(sim, sim->n_agenda++, worker);
	else
		settle(sim, who->at, worker);
}

void agenda_remove(struct sim *sim, uint32_t worker)
{
	uint32_t at = sim->worker[worker].at, last;

	if (at == NONE)
		return;
	sim->worker[worker].at = NONE;
	last = sim->agenda[--sim->n_agenda];
	if (last != worker)
		settle(sim, at, last);
}
