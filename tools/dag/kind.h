/* SPDX-License-Identifier: MIT */
/*
 * kind.h - the kinds of a dag in the making, and the sites that create them.
 *
 * A kind gets the next number when its site first comes up; at the end kinds are brought in the
 * order of their sites.
 */
#pragma once

#include "tools/trace/reader.h"
#include "tools/dag/state.h"

struct kinds {
	struct state *state;
	kind_id *of_site; /* DEFS_SITES_MAX; KIND_OF_ROOTS: none yet */
};

void kind_open(struct kinds *kinds, struct state *state); /* makes that of roots */
void kind_free(struct kinds *kinds);

/* The kind of what the site creates, made if there is none; it is of that sort from now on. */
int kind_first_at(struct kinds *kinds, uint64_t site, enum kind_what what, kind_id *kind);
static inline int kind_created_at(struct kinds *kinds, uint64_t site, enum kind_what what,
				  kind_id *kind)
{
	if (site >= DEFS_SITES_MAX || !kinds->of_site[site])
		return kind_first_at(kinds, site, what, kind);
	*kind = kinds->of_site[site];
	kinds->state->dag->kind_what[*kind] = (uint8_t)what;
	return 0;
}
bool kind_is_known(const struct kinds *kinds, site_id site);
/* Once all kinds are there. */
void kind_sort(struct kinds *kinds);

/* How many tasks of each kind were collapsed, as the trace's TALLY events say. */
struct tallied; /* of a site, in units */

struct tallies {
	struct state *state;
	struct tallied **of_site; /* DEFS_SITES_MAX; NULL: nothing is tallied yet */
	uint64_t n_waits;
};

/* Adds what the event at hand says.  Also of events that count for nothing, as they are later than
 * what is whole: tallies stand behind the records that they are of. */
void tally_event(struct tallies *tallies);

/* Makes the kinds of those that were tallied. */
int tally_kinds(const struct tallies *tallies, struct kinds *kinds);
/* Then, after collapsed_settle() and kind_sort(): what was tallied of each. */
int tally_read(const struct tallies *tallies);

void tally_free(struct tallies *tallies); /* a zeroed one is fine */
