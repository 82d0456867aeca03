/* SPDX-License-Identifier: MIT */
/* collapse_tally.h - what was collapsed of each site, exactly. */
#pragma once

#include "collector/drain/collapse_state.h"

static inline uint32_t tally_slot(uint32_t site)
{
	return site * 0x9e3779b1u % TALLY_SLOTS;
}

/* The tally of a site that may be new; NULL if there are too many. */
struct collapse_tally *tally_new(struct collapse *c, uint32_t site);

/*
 * Hot path: the tally of the site, which is the site's from then on.  NULL if there are too many
 * sites: their tasks are not collapsed.
 */
static inline __attribute__((always_inline)) struct collapse_tally *tally_of(struct collapse *c,
									     uint32_t site)
{
	uint32_t n = c->by_site[tally_slot(site)];

	return n && c->tally[n - 1].site == site ? &c->tally[n - 1] : tally_new(c, site);
}

/* Begins it afresh; the site stays. */
void tally_empty(struct collapse_tally *tally);

/* Tallies pending tasks from .. to - 1, which are collapsed now. */
void tally_pending(const struct collapse *c, uint32_t from, uint32_t to);

/* Adds what an event of kind RING_TALLY says. */
void tally_take(struct collapse *c, const struct wire_event *event);
