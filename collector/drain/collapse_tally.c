/* SPDX-License-Identifier: MIT */
/* collapse_tally.c - tallies by site, in a table that is only added to. */
#include "collector/drain/collapse_tally.h"

struct collapse_tally *tally_of(struct collapse *c, uint32_t site)
{
	uint32_t at = site * 0x9e3779b1u % (4 * COLLAPSE_TALLIES);

	while (c->by_site[at] && c->tally[c->by_site[at] - 1].site != site)
		at = (at + 1) % (4 * COLLAPSE_TALLIES);
	if (!c->by_site[at]) {
		if (c->n_tallies == COLLAPSE_TALLIES)
			return NULL;
		c->tally[c->n_tallies].site = site;
		c->tally[c->n_tallies].least = UINT64_MAX;
		c->by_site[at] = (uint16_t)++c->n_tallies;
	}
	return &c->tally[c->by_site[at] - 1];
}

void tally_pending(struct collapse *c, uint32_t from)
{
	for (uint32_t i = from; i < c->n_pending; i++) {
		const struct pending *task = &c->pending[i];
		struct collapse_tally *tally = tally_of(c, task->site);

		tally->n_tasks++;
		tally->work += task->own;
		tally->ready += task->ready;
		if (task->own < tally->least)
			tally->least = task->own;
		if (task->own > tally->most)
			tally->most = task->own;
		tally->n_by_work[wire_bucket(task->own)]++;
	}
	c->n_pending = from;
}

const struct collapse_tally *collapse_tallies(const struct collapse *c, uint32_t *n)
{
	*n = c->n_tallies;
	return c->tally;
}

uint64_t collapse_waits(const struct collapse *c)
{
	return c->n_waits;
}
