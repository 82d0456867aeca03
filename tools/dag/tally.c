/* SPDX-License-Identifier: MIT */
/* tally.c - reads the tallies of collapsed tasks, or guesses them. */
#include "tools/dag/tally.h"

#include <stdlib.h>

#include "collector/trace/reader.h"

static struct kind_collapsed *kind_collapsed_of(struct state *state,
						const struct defs_collapsed *said)
{
	struct kind_collapsed *collapsed = calloc(1, sizeof(*collapsed));

	if (!collapsed)
		return NULL;
	collapsed->n_tasks = said->n_tasks;
	collapsed->work_ns = reader_duration_ns(state->reader, said->work);
	collapsed->ready_ns = reader_duration_ns(state->reader, said->ready);
	collapsed->least_ns = reader_duration_ns(state->reader, said->least);
	collapsed->most_ns = reader_duration_ns(state->reader, said->most);
	for (uint32_t i = 0; i < WIRE_BUCKETS; i++) {
		uint64_t ns = reader_duration_ns(state->reader, wire_bucket_least(i));

		collapsed->n_by_work[wire_bucket(ns)] += said->n_by_work[i];
	}
	return collapsed;
}

int tally_kinds(struct kinds *kinds)
{
	const struct defs *defs = reader_defs(kinds->state->reader);
	kind_id kind;
	int error = 0;

	for (site_id site = 0; site < defs->n_sites && !error; site++)
		if (defs->site[site].collapsed && !kind_is_known(kinds, site))
			error = kind_created_at(kinds, site, KIND_TASK, &kind);
	return error;
}

static int read_tallies(struct state *state, uint64_t *n_said)
{
	struct dag *dag = state->dag;
	const struct defs *defs = reader_defs(state->reader);

	dag->kind_collapsed = calloc(dag->n_kinds + 1ull, sizeof(struct kind_collapsed *));
	if (!dag->kind_collapsed)
		return state_no_memory(state);
	for (kind_id k = 0; k < dag->n_kinds && dag->n_collapsed; k++) {
		site_id site = dag->kind_site[k];
		const struct defs_collapsed *said =
			site < defs->n_sites ? defs->site[site].collapsed : NULL;

		if (!said || said->n_tasks == 0)
			continue;
		dag->kind_collapsed[k] = kind_collapsed_of(state, said);
		if (!dag->kind_collapsed[k])
			return state_no_memory(state);
		*n_said += said->n_tasks;
	}
	return 0;
}

/* Without tallies, the collapsed tasks of a strand count as ones of its own task's kind. */
static int guess_tallies(struct state *state)
{
	struct dag *dag = state->dag;

	if (!dag->n_collapsed)
		return 0;
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);
		struct kind_collapsed **kind =
			collapsed ? &dag->kind_collapsed[dag_kind(dag, s)] : NULL;

		if (!collapsed || collapsed->n_tasks == 0)
			continue;
		uint64_t work_ns = collapsed->work_ns - collapsed->own_ns;
		uint64_t each_ns = work_ns / collapsed->n_tasks;

		if (!*kind)
			*kind = calloc(1, sizeof(**kind));
		if (!*kind)
			return state_no_memory(state);
		if ((*kind)->n_tasks == 0 || each_ns < (*kind)->least_ns)
			(*kind)->least_ns = each_ns;
		if (each_ns > (*kind)->most_ns)
			(*kind)->most_ns = each_ns;
		(*kind)->n_tasks += collapsed->n_tasks;
		(*kind)->work_ns += work_ns;
		(*kind)->n_by_work[wire_bucket(each_ns)] += collapsed->n_tasks;
	}
	return 0;
}

/*
 * Tallies of a killed program may be behind, and those of one whose trace was cut off ahead of the
 * records.  The records say how many tasks there are; what is between is shared out as the rest is.
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

int tally_read(struct state *state)
{
	struct dag *dag = state->dag;
	const char *waits = defs_meta(reader_defs(state->reader), "collapsed_waits");
	uint64_t n_said = 0;
	int error = read_tallies(state, &n_said);

	if (error)
		return error;
	for (uint32_t i = 0; i < dag->n_collapsed; i++)
		dag->n_collapsed_tasks += dag->collapsed[i].n_tasks;
	if (waits && dag->n_collapsed)
		dag->n_collapsed_waits = strtoull(waits, NULL, 10);
	dag->n_untold = n_said < dag->n_collapsed_tasks ? dag->n_collapsed_tasks - n_said : 0;
	if (n_said == 0)
		return guess_tallies(state);
	if (n_said != dag->n_collapsed_tasks)
		share_out(dag, n_said);
	return 0;
}
