/* SPDX-License-Identifier: MIT */
/* collapse_tally.h - what was collapsed of each site, exactly. */
#pragma once

#include "collector/drain/collapse_state.h"

/* The tally of the site; NULL if there are too many sites: their tasks are not collapsed. */
struct collapse_tally *tally_of(struct collapse *c, uint32_t site);

/* Tallies the pending tasks, from that one on, which are collapsed now. */
void tally_pending(struct collapse *c, uint32_t from);

/* Adds what an event of kind RING_TALLY says. */
void tally_take(struct collapse *c, const struct wire_event *event);

/* Whether there is a tally of the site; if there is, there will be. */
static inline bool tally_has_room(struct collapse *c, uint32_t site)
{
	return tally_of(c, site);
}
