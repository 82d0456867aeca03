/* SPDX-License-Identifier: MIT */
/* agenda.c - workers by the time of their next event: a heap with four children a node. */
#include "tools/model/sim.h"

#define CHILDREN 4u

/* Without a branch, which nobody could predict. */
static bool before(struct event x, struct event y)
{
	return (x.ns < y.ns) | ((x.ns == y.ns) & (x.worker < y.worker));
}

static void place(struct sim *sim, uint32_t at, struct event event)
{
	sim->agenda[at] = event;
	sim->worker[event.worker].at = at;
}

static void up(struct sim *sim, uint32_t at, struct event event)
{
	for (; at; at = (at - 1) / CHILDREN) {
		struct event above = sim->agenda[(at - 1) / CHILDREN];

		if (!before(event, above))
			break;
		place(sim, at, above);
	}
	place(sim, at, event);
}

static uint32_t first_of(const struct event *event, uint32_t a, uint32_t b)
{
	return before(event[b], event[a]) ? b : a;
}

/* To the last level first, and up from there: most events are of strands that begin now, and come
 * after most others. */
static void down(struct sim *sim, uint32_t at, struct event event)
{
	const struct event *agenda = sim->agenda;
	uint32_t child;

	while ((child = at * CHILDREN + 1) + CHILDREN <= sim->n_agenda) {
		uint32_t best = first_of(agenda, first_of(agenda, child, child + 1),
					 first_of(agenda, child + 2, child + 3));

		place(sim, at, agenda[best]);
		at = best;
	}
	if (child < sim->n_agenda) {
		uint32_t best = child;

		while (++child < sim->n_agenda)
			best = first_of(agenda, best, child);
		place(sim, at, agenda[best]);
		at = best;
	}
	up(sim, at, event);
}

static void settle(struct sim *sim, uint32_t at, struct event event)
{
	if (at && before(event, sim->agenda[(at - 1) / CHILDREN]))
		up(sim, at, event);
	else
		down(sim, at, event);
}

void agenda_set(struct sim *sim, uint32_t worker, uint64_t ns)
{
	struct virtual_worker *who = &sim->worker[worker];
	struct event event = { ns, worker };

	who->until_ns = ns;
	if (who->at == NONE)
		up(sim, sim->n_agenda++, event);
	else
		settle(sim, who->at, event);
}

void agenda_remove(struct sim *sim, uint32_t worker)
{
	uint32_t at = sim->worker[worker].at;
	struct event last;

	if (at == NONE)
		return;
	sim->worker[worker].at = NONE;
	last = sim->agenda[--sim->n_agenda];
	if (last.worker != worker)
		settle(sim, at, last);
}
