/* SPDX-License-Identifier: MIT */
/* kind.c - gives kinds their numbers, and adds up the tallies of their collapsed tasks. */
#include "tools/dag/kind.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"

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

/* ---- tallies of collapsed tasks ---- */

/* The site's. */
static struct tallied *tally_of(struct tallies *tallies, uint32_t site)
{
	struct tallied **of_site = tallies->of_site;

	if (!of_site)
		of_site = tallies->of_site = xcalloc(DEFS_SITES_MAX, sizeof(*of_site));
	if (!of_site[site]) {
		of_site[site] = xcalloc(1, sizeof(*of_site[site]));
		of_site[site]->least = UINT64_MAX;
	}
	return of_site[site];
}

void tally_event(struct tallies *tallies)
{
	uint64_t b = tallies->state->event->b, value = tally_value(b);
	uint32_t part = tally_part(b);
	struct tallied *tally;

	if (part == WIRE_TALLY_WAITS)
		tallies->n_waits += value;
	if (part == WIRE_TALLY_WAITS || part == WIRE_TALLY_EVENTS)
		return;
	tally = tally_of(tallies, tally_site(b));
	tallied_add(tally, part, value);
}

static const struct tallied *tally_at(const struct tallies *tallies, site_id site)
{
	const struct tallied *tally =
		tallies->of_site && site < DEFS_SITES_MAX ? tallies->of_site[site] : NULL;

	return tally && tally->n_tasks ? tally : NULL;
}

static struct kind_collapsed *kind_collapsed_of(const struct reader *reader,
						const struct tallied *tally)
{
	struct kind_collapsed *collapsed = xcalloc(1, sizeof(*collapsed));
	uint64_t least = tally->least < UINT64_MAX ? tally->least : 0;

	collapsed->n_tasks = tally->n_tasks;
	collapsed->work_ns = reader_duration_ns(reader, tally->work);
	collapsed->ready_ns = reader_duration_ns(reader, tally->ready);
	collapsed->least_ns = reader_duration_ns(reader, least);
	collapsed->most_ns = reader_duration_ns(reader, tally->most);
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
		uint64_t ns = reader_duration_ns(reader, wire_bucket_least(i));

		collapsed->n_by_work[wire_bucket(ns)] += tally->n_by_work[i];
	}
	return collapsed;
}

int tally_kinds(const struct tallies *tallies, struct kinds *kinds)
{
	kind_id kind;
	int error = 0;

	for (site_id site = 0; tallies->of_site && site < DEFS_SITES_MAX && !error; site++)
		if (tally_at(tallies, site) && !kind_is_known(kinds, site))
			error = kind_created_at(kinds, site, KIND_TASK, &kind);
	return error;
}

static void read_tallies(const struct tallies *tallies, uint64_t *n_said)
{
	struct state *state = tallies->state;
	struct dag *dag = state->dag;

	dag->kind_collapsed = xcalloc(dag->n_kinds + 1ull, sizeof(struct kind_collapsed *));
	for (kind_id k = 0; k < dag->n_kinds && dag->n_collapsed; k++) {
		const struct tallied *tally = tally_at(tallies, dag->kind_site[k]);

		if (!tally)
			continue;
		dag->kind_collapsed[k] = kind_collapsed_of(state->reader, tally);
		*n_said += tally->n_tasks;
	}
}

/*
 * Tallies are of whole blocks, but only a part of one counts where the trace was cut off.  The
 * records say how many tasks there are; what is more is taken from all kinds alike.
 */
static void share_out(struct dag *dag, uint64_t n_said)
{
	unsigned __int128 n = dag->n_collapsed_tasks;
	uint64_t before = 0;

	for (kind_id k = 0; k < dag->n_kinds; k++) {
		struct kind_collapsed *collapsed = dag->kind_collapsed[k];
		uint64_t upto = before + (collapsed ? collapsed->n_tasks : 0);

		if (collapsed)
			collapsed->n_tasks =
				(uint64_t)(n * upto / n_said) - (uint64_t)(n * before / n_said);
		before = upto;
	}
}

int tally_read(const struct tallies *tallies)
{
	struct state *state = tallies->state;
	struct dag *dag = state->dag;
	uint64_t n_said = 0;

	read_tallies(tallies, &n_said);

	for (uint32_t i = 0; i < dag->n_collapsed; i++)
		dag->n_collapsed_tasks += dag->collapsed[i].n_tasks;
	if (dag->n_collapsed)
		dag->n_collapsed_waits = tallies->n_waits;
	if (n_said < dag->n_collapsed_tasks)
		return err_set(state->err, EPROTO,
			       "%s: invalid: %" PRIu64 " collapsed tasks, tallied are %" PRIu64,
			       reader_facts(state->reader)->path, dag->n_collapsed_tasks, n_said);
	if (n_said != dag->n_collapsed_tasks)
		share_out(dag, n_said);
	return 0;
}

void tally_free(struct tallies *tallies)
{
	for (site_id site = 0; tallies->of_site && site < DEFS_SITES_MAX; site++)
		free(tallies->of_site[site]);
	free(tallies->of_site);
	*tallies = (struct tallies){ 0 };
}
