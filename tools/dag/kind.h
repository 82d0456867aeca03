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
