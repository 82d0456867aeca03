/* SPDX-License-Identifier: MIT */
/* parts.c - the roles of the ready path's strands, and what its parts are charged with. */
#include "tools/analysis/findings/parts.h"

#include <stdlib.h>

#include "tools/analysis/findings/findings.h"
#include "tools/base/real.h"
#include "tools/analysis/findings/cause.h"
#include "tools/analysis/released.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/analysis/ready_path.h"

/* ---- roles: forward along the path for its edges, and back for what it leads to ---- */

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

static void roles_build(struct roles *roles, const struct dag *dag, const struct ready_path *path)
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

static void roles_free(struct roles *roles)
{
	free(roles->role);
	free(roles->edge);
	free(roles->wait);
	*roles = (struct roles){ 0 };
}

/* ---- parts ---- */

void parts_open(struct parts *parts, struct clues *clues, const struct findings_of *of,
		const struct ahead *ahead)
{
	*parts = (struct parts){ .clues = clues,
				 .path = of->path,
				 .machine = of->machine,
				 .ahead = ahead,
				 .alone_ns = UINT64_MAX };
	roles_build(&parts->roles, clues->dag, of->path);
}

void parts_close(struct parts *parts)
{
	roles_free(&parts->roles);
	map_free(&parts->by_key);
	map_free(&parts->last_of);
	*parts = (struct parts){ 0 };
}

/* Where a serial stretch is, seen from all tasks. */
static unsigned place_of(const struct clues *clues, strand_id s)
{
	if (dag_end(clues->dag, s) <= clues->rounds->tasks_from_ns)
		return PART_HEAD;
	return dag_start(clues->dag, s) >= clues->rounds->tasks_to_ns ? PART_TAIL : PART_MIDDLE;
}

/* Where the lock is waited for that the strand releases, or that was released for it. */
static uint32_t lock_of(const struct parts *parts, uint32_t at)
{
	bool releases = at + 1 < parts->path->n && parts->roles.edge[at + 1] == EDGE_SYNC;
	strand_id waited = parts->clues->dag->strand[parts->path->strand[at + releases]].pred;

	return waited == STRAND_NONE ? 0 : dag_wait_number(parts->clues->dag, waited);
}

static void add_part(struct parts *parts, uint64_t same, const struct part *part)
{
	struct clues *clues = parts->clues;
	uint64_t *last = map_put(&parts->last_of, same);

	ARRAY_ADD(clues->part, clues->n_parts, parts->room, *part)->is_first = !*last;
	if (*last)
		clues->part[*last - 1].next = clues->n_parts - 1;
	*last = clues->n_parts;
}

/* outside: the strand has not begun, and a thread runs the code before it. */
static void find_part(struct parts *parts, uint32_t at, bool outside)
{
	struct clues *clues = parts->clues;
	strand_id s = parts->path->strand[at];
	enum role role = outside ? ROLE_SERIAL : (enum role)parts->roles.role[at];
	kind_id owner = dag_kind(clues->dag, s);
	kind_id kind = role == ROLE_PRODUCER ? ahead_creates(parts->ahead, clues->dag, s) : owner;
	uint32_t wait = role == ROLE_PRODUCER ? 0 : parts->roles.wait[at];
	unsigned where = outside	       ? PART_THREAD
			 : role == ROLE_SERIAL ? place_of(clues, s)
					       : PART_MIDDLE;
	uint64_t same, *found;

	if (kind == AHEAD_NO_KIND)
		kind = owner;
	same = (uint64_t)role << 60 | (uint64_t)where << 56 | (uint64_t)kind << 20;
	if (role == ROLE_LOCK)
		wait = lock_of(parts, at);
	found = map_put(&parts->by_key, same | wait);
	if (!*found) {
		const struct part part = { .role = role,
					   .kind = kind,
					   .owner = owner,
					   .wait = wait,
					   .where = where,
					   .longest = STRAND_NONE };

		add_part(parts, same, &part);
		*found = clues->n_parts;
	}
	parts->part = (uint32_t)*found - 1;
}

/* When the code began that the path is at: a thread's before its first task is not recorded. */
static uint64_t code_begins(const struct parts *parts)
{
	const struct dag *dag = parts->clues->dag;
	const strand_id *at = &parts->path->strand[parts->at];

	if (!parts->outside)
		return dag_start(dag, *at);
	if (parts->at == 0)
		return parts->idle_ns ? parts->from_ns : dag_start(dag, *at);
	return dag_end(dag, at[-1]);
}

static uint64_t code_ends(const struct parts *parts)
{
	const struct dag *dag = parts->clues->dag;
	strand_id s = parts->path->strand[parts->at];

	return parts->outside ? dag_start(dag, s) : dag_end(dag, s);
}

/* How long the worker of the strand that the path leaves waited for a CPU while it ran that. */
static double waited_ns(const struct parts *parts, strand_id s)
{
	struct machine_use use = machine_use(parts->machine, parts->clues->dag->strand[s].worker,
					     code_begins(parts), code_ends(parts));
	double ns;

	if (!use.has_wait || !use.wait_ns)
		return 0;
	/* while it ran, it did not sleep; but no more than all of the wait is in it */
	ns = (double)use.ns * (double)use.wait_ns / (double)(use.run_ns + use.wait_ns);
	return ns < (double)use.wait_most_ns ? ns : (double)use.wait_most_ns;
}

/*
 * Had the strand that the path leaves had a CPU all the time, it would have been over so much
 * sooner as its worker waited for one: that is taken from the end of what others lost meanwhile.
 */
static void take_wait(struct parts *parts, strand_id s)
{
	struct clues *clues = parts->clues;
	struct part *part = &clues->part[parts->part];
	double ns = waited_ns(parts, s), share;
	struct loss waited;

	part->waited_ns += ns < parts->passed_ns ? ns : parts->passed_ns;
	if (ns <= 0 || !parts->idle_ns)
		return;
	share = ns / (double)parts->idle_ns;
	waited.ns = waited.path_ns = parts->cost_ns * (share < 1 ? share : 1);
	part->loss.ns -= waited.ns;
	part->loss.path_ns -= waited.ns;
	parts->cost_ns -= waited.ns;
	loss_add(&clues->waited, &waited);
}

/* The path leaves its strand. */
static void leave(struct parts *parts)
{
	struct part *part = &parts->clues->part[parts->part];
	const struct dag *dag = parts->clues->dag;
	strand_id s = parts->path->strand[parts->at];
	uint32_t next = parts->at + 1;

	take_wait(parts, s);
	part->n_moves += part->n > 0 && dag->strand[s].worker != part->worker;
	part->worker = dag->strand[s].worker;
	if (part->n++ == 0)
		part->from_ns = code_begins(parts);
	part->moved |= part->longest != STRAND_NONE &&
		       dag->strand[s].worker != dag->strand[part->longest].worker;
	part->to_ns = code_ends(parts);
	if (!parts->outside && next < parts->path->n && parts->roles.edge[next] == EDGE_JOIN)
		part->n_waits++;
	if (part->longest == STRAND_NONE || parts->cost_ns > part->longest_ns) {
		part->longest = s;
		part->begin_ns = code_begins(parts);
		part->end_ns = code_ends(parts);
		part->longest_ns = parts->cost_ns;
		part->alone_ns = parts->alone_ns;
	}
	when_add(&part->when, parts->clues->begin_ns, parts->clues->end_ns, parts->from_ns,
		 parts->to_ns);
	parts->cost_ns = 0;
	parts->passed_ns = 0;
	parts->idle_ns = 0;
	parts->from_ns = parts->to_ns = 0;
	parts->alone_ns = UINT64_MAX;
}

static void enter(struct parts *parts, uint32_t at, bool outside)
{
	uint32_t before = parts->part;
	bool any = parts->any;

	if (any && parts->at == at && parts->outside == outside)
		return;
	if (any)
		leave(parts);
	parts->any = true;
	parts->at = at;
	parts->outside = outside;
	find_part(parts, at, outside);
	parts->clues->part[parts->part].n_follow += any && parts->part == before;
}

/* Whether the thread of the path's first strand ran what is not recorded, or waited for a CPU. */
static bool was_there(const struct parts *parts, const struct sweep *sweep, const struct seat *seat)
{
	struct machine_use use =
		machine_use(parts->machine, sweep->dag->strand[sweep->on_path].worker,
			    sweep->now_ns, sweep->now_ns + sweep->ns);

	return seat->running == STRAND_NONE && seat->last == STRAND_NONE &&
	       use.known_ns == use.ns && use.run_ns + use.wait_ns >= use.ns / 2;
}

void parts_charge(struct parts *parts, const struct sweep *sweep, const struct seat *seat,
		  double ns)
{
	bool outside = sweep->path_state == PATH_OUTSIDE;
	bool over = outside && sweep->now_ns >= dag_start(sweep->dag, sweep->on_path);
	struct part *part;

	/* what the path waited for before its first strand began is the code of a thread before its
	 * first task; or the trace does not have it */
	if (over || (outside && sweep->at_path == 0 && !was_there(parts, sweep, seat))) {
		parts->clues->unseen_ns += ns;
		return;
	}
	enter(parts, sweep->at_path, outside);
	part = &parts->clues->part[parts->part];
	part->loss.ns += ns;
	part->loss.path_ns += ns;
	part->path_ns += real_of(sweep->ns);
	parts->passed_ns += real_of(sweep->ns);
	part->busy_ns +=
		real_of(sweep->p + sweep->filled + sweep->mixture.n_members) * real_of(sweep->ns);
	if (ns > 0) {
		parts->from_ns = parts->cost_ns > 0 ? parts->from_ns : sweep->now_ns;
		parts->to_ns = sweep->now_ns + sweep->ns;
		parts->idle_ns += sweep->ns;
	}
	parts->cost_ns += ns;
	if (parts->alone_ns == UINT64_MAX &&
	    sweep->p + sweep->n_beside + sweep->mixture.n_members <= 1 && !sweep->r)
		parts->alone_ns = sweep->now_ns;
}

void parts_finish(struct parts *parts)
{
	if (parts->any)
		leave(parts);
}

/* ---- by kind: what all of a kind's are ---- */

uint32_t part_worker(const struct clues *clues, const struct part *part)
{
	return clues->dag->strand[part->longest].worker;
}

struct part part_of_kind(const struct clues *clues, uint32_t i)
{
	struct part sum = clues->part[i];

	for (uint32_t j = sum.next; j; j = clues->part[j].next) {
		const struct part *part = &clues->part[j];

		loss_add(&sum.loss, &part->loss);
		sum.n += part->n;
		sum.n_follow += part->n_follow;
		sum.from_ns = part->from_ns < sum.from_ns ? part->from_ns : sum.from_ns;
		sum.to_ns = part->to_ns > sum.to_ns ? part->to_ns : sum.to_ns;
		sum.n_waits += part->n_waits;
		sum.moved |= part->moved || part_worker(clues, part) != part_worker(clues, &sum);
		when_join(&sum.when, &part->when);
		sum.path_ns += part->path_ns;
		sum.waited_ns += part->waited_ns;
		sum.busy_ns += part->busy_ns;
		if (part->longest_ns > sum.longest_ns) {
			sum.longest_ns = part->longest_ns;
			sum.longest = part->longest;
			sum.begin_ns = part->begin_ns;
			sum.end_ns = part->end_ns;
			sum.alone_ns = part->alone_ns;
			sum.wait = part->wait;
		}
	}
	return sum;
}

double part_busy(const struct part *part)
{
	return part->path_ns > 0 ? part->busy_ns / part->path_ns : 0;
}

void part_claim(struct ledger *ledger, uint32_t i)
{
	do
		claim(ledger, ledger_row(ledger, ROW_PART, i));
	while ((i = ledger->clues->part[i].next));
}

struct finding *part_finding(struct findings *findings, const struct cause *cause,
			     struct ledger *ledger, const struct part *part)
{
	struct finding *finding = finding_claim(findings, cause, ledger, part->kind);

	if (!finding)
		return NULL;
	finding->from_ns = part->begin_ns;
	finding->to_ns = part->end_ns;
	finding->when = part->when;
	FACTS(finding, fact_real("busy", part_busy(part)));
	return finding;
}

#define PART_IDLE .25 /* of what the other workers could do meanwhile */
bool part_is_idle(const struct clues *clues, const struct part *part)
{
	/* in neither is what the machine took */
	double ran_ns = part->path_ns - part->waited_ns;

	return part->loss.ns >= PART_IDLE * ran_ns * (clues->dag->n_workers - 1);
}

bool part_is_in_a_row(const struct clues *clues, const struct part *part)
{
	for (uint32_t i = 0; i < clues->n_parts; i++) {
		const struct part *other = &clues->part[i];

		if (other->role == ROLE_CHAIN && other->kind != part->kind &&
		    is_worth(clues, &other->loss) && part_is_idle(clues, other))
			return true;
	}
	return 2 * part->n_follow >= part->n;
}
