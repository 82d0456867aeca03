/* SPDX-License-Identifier: MIT */
/* parts.c - charges the parts of the ready path. */
#include "tools/analysis/findings/parts.h"

#include "tools/analysis/findings/findings.h"
#include "tools/base/real.h"
#include "tools/analysis/findings/cause.h"

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

	array_grow(&clues->part, &parts->room, clues->n_parts + 1ull, sizeof(*clues->part));
	clues->part[clues->n_parts] = *part;
	clues->part[clues->n_parts].is_first = !*last;
	if (*last)
		clues->part[*last - 1].next = clues->n_parts;
	*last = ++clues->n_parts;
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
