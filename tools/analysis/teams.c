/* SPDX-License-Identifier: MIT */
/* teams.c - counts the members of each fork. */
#include "tools/analysis/teams.h"

#include <stdlib.h>

#include "tools/base/order.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

struct fork {
	uint32_t kind, n_members;
	uint64_t from_ns, to_ns;
};

struct forks {
	struct fork *fork;
	uint64_t n, room;
	struct map by_strand; /* that ended with it -> fork[] + 1 */
};

static bool is_member(const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;

	return dag->how[s] & STRAND_FIRST && pred != STRAND_NONE && !dag_is_node(dag, pred) &&
	       dag_kind(dag, pred) == 0 && dag->kind_what[dag_kind(dag, s)] == KIND_IMPLICIT;
}

static void add_member(struct forks *forks, const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;
	uint64_t *at = map_put(&forks->by_strand, pred);

	if (!*at) {
		ARRAY_ADD(forks->fork, forks->n, forks->room,
			  (struct fork){ .kind = dag_kind(dag, s),
					 .from_ns = dag_end(dag, pred),
					 .to_ns = dag->elapsed_ns });
		*at = forks->n;
	}
	forks->fork[*at - 1].n_members++;
}

/* Where the forking task goes on, the region is over. */
static void note_end(struct forks *forks, const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;
	const uint64_t *at;

	if (pred == STRAND_NONE || dag_is_node(dag, s) ||
	    (dag->how[pred] & STRAND_ENDED_BY) != WIRE_FORK ||
	    dag->strand[pred].task != dag->strand[s].task)
		return;
	at = map_find(&forks->by_strand, pred);
	if (at)
		forks->fork[*at - 1].to_ns = dag_start(dag, s);
}

static void add_row(struct team_row *row, const struct fork *fork, uint32_t n_workers,
		    const struct select *select)
{
	row->n_workers = n_workers;
	if (!select_has(select, fork->from_ns, fork->to_ns))
		return;
	if (row->n_times++ == 0 || fork->n_members < row->least)
		row->least = fork->n_members;
	if (fork->n_members > row->most)
		row->most = fork->n_members;
	row->elapsed_ns += select_within(select, fork->from_ns, fork->to_ns);
}

ORDER(longest_first, struct team_row, BY_MOST(elapsed_ns) ?: BY_LEAST(kind))

static void build_rows(struct teams *teams, const struct forks *forks, const struct dag *dag,
		       const struct select *select)
{
	teams->row = xcalloc(dag->n_kinds + 1ull, sizeof(*teams->row));
	for (uint64_t i = 0; i < forks->n; i++) {
		const struct fork *fork = &forks->fork[i];
		uint32_t runtime = (uint32_t)__builtin_ctz(dag->kind_runtimes[fork->kind]);
		uint32_t n_workers = dag->runtime[runtime].n_workers;

		if (fork->n_members < n_workers)
			add_row(&teams->row[fork->kind], fork, n_workers, select);
	}
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		if (!teams->row[k].n_times)
			continue;
		teams->row[teams->n] = teams->row[k];
		teams->row[teams->n++].kind = k;
	}
	SORT(teams->row, teams->n, longest_first);
}

/* Whether any tasks are members of teams. */
static bool has_members(const struct dag *dag)
{
	bool any = false;

	for (kind_id k = 0; k < dag->n_kinds && !any; k++)
		any = dag->kind_what[k] == KIND_IMPLICIT;
	return any;
}

void teams_find(struct teams *teams, const struct dag *dag, const struct select *select)
{
	struct forks forks = { 0 };
	uint32_t n_strands = dag->n_gaps || !has_members(dag) ? 0 : dag->n_strands;

	*teams = (struct teams){ 0 };
	for (strand_id s = 0; s < n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		if (is_member(dag, s))
			add_member(&forks, dag, s);
		note_end(&forks, dag, s);
	}
	build_rows(teams, &forks, dag, select);
	free(forks.fork);
	map_free(&forks.by_strand);
}

void teams_free(struct teams *teams)
{
	free(teams->row);
	*teams = (struct teams){ 0 };
}
