/* SPDX-License-Identifier: MIT */
/* width.c - counts workers by runtime, and strands that run at once. */
#include "tools/dag/width.h"

#include <stdlib.h>

#include "tools/base/xalloc.h"
#include "tools/trace/reader.h"
#include "tools/base/map.h"
#include "tools/dag/running.h"

uint64_t width_cpus(const struct defs *defs)
{
	uint64_t n = defs_meta_number(defs, "cpus");
	uint64_t bound = defs_meta_number(defs, "workers_affinity");

	if (!n)
		n = defs_meta_number(defs, "cores");
	return bound && (bound < n || !n) ? bound : n;
}

static void count_tasks(struct dag *dag)
{
	for (uint32_t k = 1; k < dag->n_kinds; k++)
		if (dag->kind_collapsed[k])
			dag->runtime[__builtin_ctz(dag->kind_runtimes[k])].n_tasks +=
				dag->kind_collapsed[k]->n_tasks;
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (dag->task_kind[t])
			dag->runtime[__builtin_ctz(dag->kind_runtimes[dag->task_kind[t]])]
				.n_tasks++;
}

void width_most(const struct dag *dag, uint32_t *most)
{
	struct running running;

	*most = 0;
	running_open(&running, dag);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s) || dag_length(dag, s) == 0 ||
		    dag->beside[dag->strand[s].worker])
			continue;
		while (running_ends(&running, dag_start(dag, s)))
			running_pop(&running);
		running_push(&running, s);
		if (running.n > *most)
			*most = running.n;
	}
	running_close(&running);
}

/* Workers that are there at an instant, by runtime, and of all; and the most so far. */
struct there {
	struct dag *dag;
	bool *is, *meets;   /* by worker: is there; its member came to the team's barrier */
	const bool *makers; /* by worker; NULL: there are none */
	uint32_t n[DAG_RUNTIMES + 1], most[DAG_RUNTIMES + 1];
	uint32_t n_made, most_made; /* with the makers that run tasks, while one does */
};

static void there_turn(struct there *there, uint32_t worker, bool is)
{
	uint32_t bits = there->dag->worker_runtimes[worker] | 1u << DAG_RUNTIMES;

	if (there->is[worker] == is)
		return;
	there->is[worker] = is;
	for (uint32_t r = 0; r <= DAG_RUNTIMES; r++) {
		if (bits >> r & 1)
			there->n[r] += is ? 1 : UINT32_MAX;
		if (there->n[r] > there->most[r])
			there->most[r] = there->n[r];
	}
}

/* A maker's strand begins or ends.  Of its roots nothing is counted. */
static void there_make(struct there *there, strand_id s, bool begins)
{
	if (dag_kind(there->dag, s) != KIND_OF_ROOTS)
		there->n_made += begins ? 1 : UINT32_MAX;
}

static void there_note_made(struct there *there)
{
	if (there->n_made && there->n[DAG_RUNTIMES] + there->n_made > there->most_made)
		there->most_made = there->n[DAG_RUNTIMES] + there->n_made;
}

/*
 * Whether the worker that ends the strand so is none from then on, until its next one: its thread
 * has ended; or it has nothing to do at its team's barrier, from which it may go without a word.
 */
static bool leaves(struct there *there, strand_id s)
{
	const struct dag *dag = there->dag;
	uint32_t worker = dag->strand[s].worker;
	const struct dag_wait *wait = dag_wait_of(dag, s);
	bool ends = (dag->how[s] & STRAND_ENDED_BY) == WIRE_END;

	switch ((enum kind_what)dag->kind_what[dag_kind(dag, s)]) {
	case KIND_IMPLICIT:
		there->meets[worker] = ends || (wait && wait->what == WIRE_WAIT_TEAM);
		return there->meets[worker];
	case KIND_ROOT:
		there->meets[worker] = false;
		return ends;
	default:
		return ends && there->meets[worker];
	}
}

/* Whether its end may change anything: of most strands it does not.  What its worker ran before is
 * over when it begins, so meets[] is known. */
static bool may_leave(const struct there *there, strand_id s)
{
	const struct dag *dag = there->dag;
	uint32_t worker = dag->strand[s].worker;
	uint8_t ended_by = dag->how[s] & STRAND_ENDED_BY, what;

	if (there->meets[worker] || (there->makers && there->makers[worker]))
		return true;
	if (ended_by != WIRE_END && ended_by != WIRE_WAIT)
		return false;
	what = dag->kind_what[dag_kind(dag, s)];
	return what == KIND_IMPLICIT || what == KIND_ROOT;
}

/* The strand is over. */
static void there_end(struct there *there, strand_id s)
{
	uint32_t worker = there->dag->strand[s].worker;

	if (there->makers && there->makers[worker])
		there_make(there, s, false);
	else if (leaves(there, s))
		there_turn(there, worker, false);
}

static void there_begin(struct there *there, strand_id s)
{
	uint32_t worker = there->dag->strand[s].worker;

	if (there->makers && there->makers[worker])
		there_make(there, s, true);
	else
		there_turn(there, worker, true);
	there_note_made(there);
}

/*
 * Counts who was there at once: each from its first strand on, but not between the end of its
 * thread, or of its place in a team, and its next strand.
 */
static void there_count(struct there *there, struct dag *dag, const bool *makers)
{
	struct running running;

	running_open(&running, dag);

	*there = (struct there){ .dag = dag, .makers = makers };
	there->is = xcalloc(dag->n_slots + 1ull, sizeof(*there->is));
	there->meets = xcalloc(dag->n_slots + 1ull, sizeof(*there->meets));
	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s) || dag->beside[dag->strand[s].worker])
			continue;
		while (running_ends(&running, dag_start(dag, s)))
			there_end(there, running_pop(&running));
		if (may_leave(there, s))
			running_push(&running, s);
		there_begin(there, s);
	}
	running_close(&running);
	free(there->is);
	free(there->meets);
}

/*
 * Makers are workers all of whose roots made threads that have roots: makers[] of them.  Whether
 * there are any.
 */
static void find_makers(const struct dag *dag, bool *makers, bool *any)
{
	struct map made = { 0 }; /* the tasks that made one */
	bool *others = xcalloc(dag->n_slots + 1ull, sizeof(*others));

	for (uint32_t e = 0; e < dag->n_extras; e++) {
		strand_id to = dag->extra[e].to, from = dag->extra[e].from;

		if (dag_is_node(dag, to) || dag_is_node(dag, from) ||
		    !(dag->how[to] & STRAND_FIRST) || dag_kind(dag, to) != KIND_OF_ROOTS ||
		    dag->beside[dag->strand[to].worker])
			continue;
		map_put(&made, dag->strand[from].task);
	}
	for (strand_id s = 0; s < dag->n_strands && made.n; s++) {
		if (dag_is_node(dag, s) || !(dag->how[s] & STRAND_FIRST) ||
		    dag_kind(dag, s) != KIND_OF_ROOTS)
			continue;
		if (map_find(&made, dag->strand[s].task))
			*any = makers[dag->strand[s].worker] = true;
		else
			others[dag->strand[s].worker] = true;
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		makers[w] &= !others[w];
	free(others);
	map_free(&made);
}

/*
 * A thread that makes threads which run tasks, and waits for them, is no worker beside them; unless
 * its own tasks run while as many of the others do as are workers.
 */
static void find_parents(struct dag *dag, const struct defs *defs)
{
	bool *makers = xcalloc(dag->n_slots + 1ull, sizeof(*makers));
	uint32_t said = 0, n_there = 0;
	struct there there = { 0 };
	bool any = false;

	find_makers(dag, makers, &any);

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (defs->runtime[r].n_workers > said)
			said = defs->runtime[r].n_workers;
	for (uint32_t w = 0; w < dag->n_slots; w++)
		n_there += dag->worker_runtimes[w] && !dag->beside[w];
	if (any && n_there > said)
		there_count(&there, dag, makers);
	if (there.most[DAG_RUNTIMES] &&
	    (there.most_made <= there.most[DAG_RUNTIMES] || there.most_made <= said))
		for (uint32_t w = 0; w < dag->n_slots; w++)
			dag->beside[w] |= makers[w];
	free(makers);
}

/* Of a process with tasks of several runtimes; `together` are all workers that they have. */
static void width_of_several(struct dag *dag, uint64_t together, uint64_t n_cpus)
{
	uint32_t most = 0;

	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks && dag->runtime[r].n_workers > dag->n_workers)
			dag->n_workers = dag->runtime[r].n_workers;
	if (n_cpus && together > n_cpus && n_cpus > dag->n_workers)
		dag->n_workers = (uint32_t)n_cpus;
	if (dag->n_seen > dag->n_workers)
		width_most(dag, &most);
	if (most > dag->n_workers)
		dag->n_workers = most;
}

static uint32_t count_bits(const uint16_t *bits, uint32_t n, uint32_t r)
{
	uint32_t found = 0;

	for (uint32_t w = 0; w < n; w++)
		found += bits[w] >> r & 1;
	return found;
}

/* Of runtimes that have more workers than ran tasks: who lost events may have run some. */
static void suppose_tasks(struct dag *dag, uint16_t runtimes)
{
	for (uint64_t g = 0; runtimes && g < dag->n_gaps; g++)
		if (dag->gap[g].why != WIRE_LOSS_STOPPED)
			dag->worker_tasks[dag->gap[g].worker] |= runtimes;
}

/* Who is beside the workers of each runtime that it ran strands of. */
static void find_beside(struct dag *dag, const struct defs *defs)
{
	uint16_t known = 0;   /* runtimes that have workers: MPI, say, has none */
	uint16_t crowded = 0; /* runtimes of which more ran a strand than are workers */
	uint16_t lacking = 0; /* .. and fewer ran tasks */

	for (uint32_t r = 0; r < dag->n_runtimes; r++) {
		uint32_t said = defs->runtime[r].n_workers;
		uint32_t n_seen = count_bits(dag->worker_runtimes, dag->n_slots, r);
		uint32_t n_ran = count_bits(dag->worker_tasks, dag->n_slots, r);

		if (said || n_ran)
			known |= (uint16_t)(1u << r);
		if (said && n_seen > said && n_seen > n_ran)
			crowded |= (uint16_t)(1u << r);
		if (said > n_ran)
			lacking |= (uint16_t)(1u << r);
	}
	suppose_tasks(dag, lacking & crowded);
	for (uint32_t w = 0; w < dag->n_slots; w++) {
		uint16_t all = dag->worker_runtimes[w] & known;

		dag->beside[w] |= all && !(all & ~crowded) && !(all & dag->worker_tasks[w]);
		dag->n_beside += dag->beside[w];
		dag->n_seen += dag->worker_runtimes[w] && !dag->beside[w];
		if (dag->beside[w])
			continue;
		for (uint32_t r = 0; r < dag->n_runtimes; r++)
			dag->runtime[r].n_seen += all >> r & 1;
	}
}

uint32_t width_never(const struct dag *dag)
{
	uint32_t n_seen = dag->n_seen;

	for (uint32_t w = 0; w < dag->n_slots; w++)
		n_seen += dag->beside[w] && dag->worker_tasks[w];
	return dag->n_workers > n_seen ? dag->n_workers - n_seen : 0;
}

void width_find(struct dag *dag, const struct defs *defs)
{
	uint32_t n_used = 0;
	const uint32_t *at_once;
	struct there there;
	uint64_t together;

	dag->n_runtimes = defs->n_runtimes < DAG_RUNTIMES ? defs->n_runtimes : DAG_RUNTIMES;
	find_parents(dag, defs);
	find_beside(dag, defs);
	count_tasks(dag);
	there_count(&there, dag, NULL);
	at_once = there.most;
	together = at_once[DAG_RUNTIMES];
	for (uint32_t r = 0; r < dag->n_runtimes; r++) {
		struct dag_runtime *runtime = &dag->runtime[r];
		uint32_t said = defs->runtime[r].n_workers;

		runtime->n_workers = said > at_once[r] ? said : at_once[r];
		runtime->calls_ps = defs->runtime[r].calls_ps;
		runtime->tokens = defs->runtime[r].tokens;
		n_used += runtime->n_tasks > 0;
	}
	for (uint32_t r = 0; r < dag->n_runtimes; r++)
		if (dag->runtime[r].n_tasks || !n_used)
			together += dag->runtime[r].n_workers - at_once[r];
	if (n_used > 1) {
		width_of_several(dag, together, width_cpus(defs));
		return;
	}
	dag->n_workers = (uint32_t)together;
}
