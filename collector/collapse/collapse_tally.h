/* SPDX-License-Identifier: MIT */
/*
 * collapse_tally.h - of which sites a slice's collapsed tasks are, exactly.
 *
 * What the TALLY events of the slice say is added up (tally_hear), what is collapsed now is added
 * (tally_pending), and all of it is written behind the slice (tally_put_all): then the tallies are
 * empty again.
 */
#pragma once

#include "collector/collapse/collapse_state.h"
#include "collector/trace/tallied.h"

/* The collapsed tasks of one site. */
struct collapse_tally {
	uint32_t site;
	uint32_t low, high; /* no buckets but these have tasks */
	struct tallied sum;
};

/* Before a slice. */
void tally_begin(struct collapse *c);

static inline uint32_t tally_slot(uint32_t site)
{
	return site * 0x9e3779b1u % TALLY_SLOTS;
}

/* tally_of() a site that may be new, or is not in its own slot. */
uint32_t tally_new(struct collapse *c, uint32_t site);

/*
 * Hot path: the number of the site's tally, in tally[], + 1.  0 if there are too many sites: their
 * tasks are not collapsed.
 */
static inline __attribute__((always_inline)) uint32_t tally_of(struct collapse *c, uint32_t site)
{
	uint32_t at = tally_slot(site);

	return c->by_site[at].site == site && c->by_site[at].tally ? c->by_site[at].tally
								   : tally_new(c, site);
}

/* The tally of that number; NULL for 0. */
static inline struct collapse_tally *tally_at(const struct collapse *c, uint32_t number)
{
	return number ? &c->tally[number - 1] : NULL;
}

/* Tallies pending tasks from .. to - 1, which are collapsed now. */
void tally_pending(const struct collapse *c, uint32_t from, uint32_t to);

/* Adds what a TALLY says. */
void tally_hear(struct collapse *c, uint64_t b);

/* Writes the tallies and empties them: how many events they are; if that is more than n_most, the
 * others are missing. */
uint32_t tally_put_all(struct collapse *c, struct wire_event *event, uint32_t n_most);
