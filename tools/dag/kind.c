/* SPDX-License-Identifier: MIT */
/* kind.c - gives kinds their numbers. */
#include "tools/dag/kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"

static void add(struct kinds *kinds, uint32_t site, enum kind_what what)
{
	struct dag *dag = kinds->state->dag;
	uint64_t room = kinds->state->room.kinds;

	array_grow(&dag->kind_what, &room, dag->n_kinds + 1ull, sizeof(*dag->kind_what));
	array_grow(&dag->kind_site, &kinds->state->room.kinds, dag->n_kinds + 1ull,
		   sizeof(*dag->kind_site));
	dag->kind_site[dag->n_kinds] = site;
	dag->kind_what[dag->n_kinds++] = (uint8_t)what;
}

void kind_open(struct kinds *kinds, struct state *state)
{
	kinds->state = state;
	kinds->of_site = xcalloc(DEFS_SITES_MAX, sizeof(*kinds->of_site));
	add(kinds, SITE_NONE, KIND_ROOT);
}

void kind_free(struct kinds *kinds)
{
	free(kinds->of_site);
	*kinds = (struct kinds){ 0 };
}

int kind_first_at(struct kinds *kinds, uint64_t site, enum kind_what what, uint32_t *kind)
{
	if (site >= DEFS_SITES_MAX)
		return state_contradicts(kinds->state, "unknown site %" PRIu64, site);
	add(kinds, (uint32_t)site, what);
	*kind = kinds->of_site[site] = kinds->state->dag->n_kinds - 1;
	return 0;
}

bool kind_is_known(const struct kinds *kinds, site_id site)
{
	return kinds->of_site[site] != KIND_OF_ROOTS;
}

void kind_sort(struct kinds *kinds)
{
	struct dag *dag = kinds->state->dag;
	uint32_t *now = xmalloc(dag->n_kinds * sizeof(*now));
	uint8_t *what = xmalloc(dag->n_kinds * sizeof(*what));
	uint32_t n = 1;
	bool moved = false;

	memcpy(what, dag->kind_what, dag->n_kinds * sizeof(*what));
	now[KIND_OF_ROOTS] = KIND_OF_ROOTS;
	for (uint32_t site = 0; site < DEFS_SITES_MAX && n < dag->n_kinds; site++) {
		uint32_t kind = kinds->of_site[site];

		if (!kind)
			continue;
		moved |= kind != n;
		now[kind] = n;
		kinds->of_site[site] = n;
		dag->kind_site[n] = site;
		dag->kind_what[n++] = what[kind];
	}
	for (task_id t = 0; t < dag->n_tasks && moved; t++)
		dag->task_kind[t] = now[dag->task_kind[t]];
	free(now);
	free(what);
}
