/* SPDX-License-Identifier: MIT */
/* roles.c - walks the ready path forward for its edges, and back for what it leads to. */
#include "tools/analysis/findings/roles.h"

#include <stdlib.h>

#include "tools/analysis/released.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

struct walk {
	struct roles *roles;
	const struct dag *dag;
	const struct ready_path *path;
	struct map creations; /* task -> its strands on the path between two creations */
};

static unsigned ended_by(const struct dag *dag, strand_id s)
{
	return dag->how[s] & STRAND_ENDED_BY;
}

/* Whether its task waited for that before. */
static bool waited_for(const struct dag *dag, strand_id s, enum wire_wait what)
{
	strand_id pred = dag->strand[s].pred;
	const struct dag_wait *wait =
		pred == STRAND_NONE || dag_is_node(dag, pred) ? NULL : dag_wait_of(dag, pred);

	return wait && wait->what == what;
}

static bool meets(const struct dag *dag, strand_id s)
{
	return waited_for(dag, s, WIRE_WAIT_TEAM);
}

static bool joins_thread(const struct dag *dag, strand_id s)
{
	return waited_for(dag, s, WIRE_WAIT_THREAD);
}

/*
 * The edge by which the strand is released, directly or from a barrier's node.  Who comes to a
 * barrier last is released by its own strand before, and is joined with like the others.  A thread
 * is made and joined as a task is: that is no lock.
 */
static enum edge_kind edge_into(const struct dag *dag, strand_id s, uint32_t *hint)
{
	strand_id from = dag_releaser(dag, s, hint);

	if (from == STRAND_NONE || released_thread(dag, s))
		return EDGE_CREATE;
	return meets(dag, s) || joins_thread(dag, s) ? EDGE_JOIN : dag_edge_kind(dag, from, s);
}

static bool creates(const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;

	return ended_by(dag, s) == WIRE_CREATE && !(dag->how[s] & STRAND_FIRST) &&
	       pred != STRAND_NONE && ended_by(dag, pred) == WIRE_CREATE;
}

static bool is_edge(const struct walk *walk, uint32_t i, enum edge_kind edge)
{
	return i < walk->path->n && i > 0 && walk->roles->edge[i] == edge;
}

/*
 * Members of a team had work of their own in the episode that the strand's worker ends last: at
 * least a tenth of what it did.  Else it is code that one member runs alone.
 */
#define TEAM_SHARE 10u
static bool others_worked(const struct dag *dag, strand_id meeting, strand_id last)
{
	uint64_t most = 0, rest = 0;
	uint32_t hint = 0, n = 0;

	for (uint32_t e = dag_extras(dag, meeting, &hint);
	     e < dag->n_extras && dag->extra[e].to == meeting; e++) {
		strand_id from = dag->extra[e].from, s = from;
		uint64_t work = 0;

		if (dag_is_node(dag, from) || dag->kind_what[dag_kind(dag, from)] != KIND_IMPLICIT)
			continue;
		do {
			work += dag_length(dag, s);
			if (dag->how[s] & (STRAND_FIRST | STRAND_JOINS))
				break;
			s = dag->strand[s].pred;
		} while (s != STRAND_NONE && dag->strand[s].task == dag->strand[from].task);
		if (dag->strand[from].task == dag->strand[last].task)
			most = work;
		else
			rest += work;
		n++;
	}
	return n > 1 && rest / (n - 1) > most / TEAM_SHARE;
}

/* Where members meet before the strand goes on: the barrier's node; or itself, after their end. */
static strand_id meeting_of(const struct dag *dag, strand_id s, uint32_t *hint)
{
	for (uint32_t e = dag_extras(dag, s, hint); e < dag->n_extras && dag->extra[e].to == s; e++)
		if (dag_is_node(dag, dag->extra[e].from))
			return dag->extra[e].from;
	return s;
}

static enum role role_of(const struct walk *walk, uint32_t i, uint32_t *hint)
{
	const struct dag *dag = walk->dag;
	strand_id s = walk->path->strand[i];
	const uint64_t *n = map_find(&walk->creations, dag->strand[s].task);
	uint8_t what = dag->kind_what[dag_kind(dag, s)];

	if (creates(dag, s) && n && *n >= PRODUCER_TASKS)
		return ROLE_PRODUCER;
	if (is_edge(walk, i + 1, EDGE_SYNC) || is_edge(walk, i, EDGE_SYNC))
		return ROLE_LOCK;
	if (is_edge(walk, i + 1, EDGE_DEPEND) || is_edge(walk, i, EDGE_DEPEND))
		return ROLE_CHAIN;
	if (what == KIND_TASK || what == KIND_LOOP)
		return dag->how[s] & STRAND_FIRST && ended_by(dag, s) == WIRE_END ? ROLE_LEAF
										  : ROLE_SERIAL;
	if (what == KIND_IMPLICIT && is_edge(walk, i + 1, EDGE_JOIN) &&
	    others_worked(dag, meeting_of(dag, walk->path->strand[i + 1], hint), s))
		return ROLE_TEAM;
	return ROLE_SERIAL;
}

/* The wait that the strand of the path ended by a join waited in. */
static uint16_t wait_before(const struct dag *dag, strand_id s)
{
	strand_id pred = dag->strand[s].pred;

	return pred == STRAND_NONE ? 0 : dag_wait_number(dag, pred);
}

static void count_creations(struct walk *walk)
{
	const struct dag *dag = walk->dag;

	for (uint32_t i = 0; i < walk->path->n; i++) {
		uint64_t *n;

		if (!creates(dag, walk->path->strand[i]))
			continue;
		n = map_put(&walk->creations, dag->strand[walk->path->strand[i]].task);
		++*n;
	}
}

void roles_build(struct roles *roles, const struct dag *dag, const struct ready_path *path)
{
	struct walk walk = { .roles = roles, .dag = dag, .path = path };
	uint32_t hint = 0;
	uint16_t wait = 0;

	*roles = (struct roles){ .role = xcalloc(path->n + 1ull, sizeof(*roles->role)),
				 .edge = xcalloc(path->n + 1ull, sizeof(*roles->edge)),
				 .wait = xcalloc(path->n + 1ull, sizeof(*roles->wait)) };
	count_creations(&walk);
	for (uint32_t i = 0; i < path->n; i++)
		roles->edge[i] = (uint8_t)edge_into(dag, path->strand[i], &hint);
	for (uint32_t i = 0; i < path->n; i++)
		roles->role[i] = (uint8_t)role_of(&walk, i, &hint);
	for (uint32_t i = path->n; i-- > 0;) {
		roles->wait[i] = wait;
		if (roles->edge[i] == EDGE_JOIN)
			wait = wait_before(dag, path->strand[i]);
		else if (roles->edge[i] == EDGE_CREATE)
			wait = 0;
	}
	map_free(&walk.creations);
}

void roles_free(struct roles *roles)
{
	free(roles->role);
	free(roles->edge);
	free(roles->wait);
	*roles = (struct roles){ 0 };
}
