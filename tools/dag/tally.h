/* SPDX-License-Identifier: MIT */
/* tally.h - how many tasks of each kind were collapsed, as the trace's TALLY events say. */
#pragma once

#include "tools/dag/kind.h"

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
