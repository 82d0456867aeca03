/* SPDX-License-Identifier: MIT */
/*
 * laws.c [SEED [N]] - what must hold of a simulation of any graph, on N random ones: 10^4.
 *
 *	placed	 each strand runs once, for its length, after all that it waits for; a worker runs
 *		 one at a time; nobody enters a lock that another task holds
 *	least	 T >= T1 / P, T >= span, T >= the time that any lock is held
 *	one	 without costs, one worker takes T1, under each policy
 *	greedy	 without costs, T <= (T1 - span) / P + span [Graham 1969], and what all locks are
 *		 held besides: while a worker is idle, no task is ready, so that either all that is
 *		 left of the longest way runs, or its task waits for a lock, and a holder runs
 *	some	 without costs, T <= T1 under each policy: somebody always runs
 *
 * Greedy: policies under which any free worker may take any ready task.  A third of the graphs has
 * tasks that run as several parts.  Prints the seed of each graph that breaks a law.
 */
#include <inttypes.h>
#include <signal.h>

#include "test/model/drawn.h"
#include "test/unit/trace.h"
#include "tools/model/change.h"
#include "tools/model/simulate.h"

#define TRIED_MOST 64u /* workers */

struct lock_time {
	uint64_t held_ns;
	strand_id *first, *last; /* sections: the steps inside, in the order of steps */
	uint32_t n;
};

struct law {
	uint64_t seed;
	struct dag dag;
	struct graph graph;
	struct leads leads;
	struct searches searches;
	struct changes changes;
	struct kind_change kind[8];
	struct placed *placed;
	struct lock_time lock[DRAWN_LOCKS];
	uint64_t all_held_ns, most_held_ns;
	uint64_t uneven_ns; /* by which first parts are longer than even ones */
	bool free;	    /* without costs */
	uint64_t n_runs;
	bool broken;
};

static void breaks(struct law *law, const struct simulation *run, const char *what, uint64_t is,
		   uint64_t limit)
{
	if (!law->broken)
		printf("seed %" PRIu64 ": %s, P=%u%s: %s: %" PRIu64 ", %" PRIu64 "\n", law->seed,
		       run->policy.name, run->n_workers, law->free ? ", no costs" : "", what, is,
		       limit);
	law->broken = true;
}

#define want(law, run, is, op, limit)                                                              \
	do {                                                                                       \
		if (!((is)op(limit)))                                                              \
			breaks(law, run, #is " " #op " " #limit, is, limit);                       \
	} while (0)

/* ---- what was placed ---- */

static void after(struct law *law, const struct simulation *run, strand_id from, strand_id to)
{
	if (to != STRAND_NONE)
		want(law, run, law->placed[to].start_ns, >=, law->placed[from].end_ns);
}

static int by_place(const void *a, const void *b, void *placed)
{
	const struct placed *x = (const struct placed *)placed + *(const strand_id *)a;
	const struct placed *y = (const struct placed *)placed + *(const strand_id *)b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static void check_workers(struct law *law, const struct simulation *run)
{
	strand_id *order = malloc((law->graph.n_steps + 1ull) * sizeof(*order));
	const struct placed *placed = law->placed, *before;
	uint32_t n = 0;

	for (strand_id s = 0; s < law->graph.n_steps; s++)
		if (!(law->graph.step[s].flags & STEP_PARTS))
			order[n++] = s;
	qsort_r(order, n, sizeof(*order), by_place, law->placed);
	for (uint32_t i = 1; i < n; i++) {
		before = &placed[order[i - 1]];
		if (placed[order[i]].worker == before->worker)
			want(law, run, placed[order[i]].start_ns, >=, before->end_ns);
	}
	free(order);
}

struct section {
	strand_id first, last;
};

static int by_entry(const void *a, const void *b, void *placed)
{
	const struct section *x = a, *y = b;
	const struct placed *of = placed;

	if (of[x->first].start_ns != of[y->first].start_ns)
		return of[x->first].start_ns < of[y->first].start_ns ? -1 : 1;
	return of[x->last].end_ns < of[y->last].end_ns ? -1
						       : of[x->last].end_ns > of[y->last].end_ns;
}

static void check_lock(struct law *law, const struct simulation *run, const struct lock_time *lock)
{
	struct section *section = malloc((lock->n + 1ull) * sizeof(*section));
	uint64_t end_ns = 0;

	for (uint32_t i = 0; i < lock->n; i++)
		section[i] = (struct section){ lock->first[i], lock->last[i] };
	qsort_r(section, lock->n, sizeof(*section), by_entry, law->placed);
	for (uint32_t i = 0; i < lock->n; i++) {
		want(law, run, law->placed[section[i].first].start_ns, >=, end_ns);
		end_ns = law->placed[section[i].last].end_ns;
	}
	free(section);
}

static void check_placed(struct law *law, const struct simulation *run,
			 const struct outcome *outcome)
{
	uint64_t last_ns = 0;

	for (strand_id s = 0; s < law->graph.n_steps; s++) {
		const struct step *step = &law->graph.step[s];
		const struct placed *placed = &law->placed[s];
		uint32_t n;
		const strand_id *out = graph_out(&law->graph, step, &n);

		want(law, run, placed->worker, <, run->n_workers);
		want(law, run, placed->end_ns, >=, placed->start_ns);
		if (!(step->flags & STEP_PARTS))
			want(law, run, placed->end_ns - placed->start_ns, ==, step->length);
		after(law, run, s, step->next);
		after(law, run, s, step->child);
		for (uint32_t i = 0; i < n; i++)
			after(law, run, s, out[i]);
		last_ns = placed->end_ns > last_ns ? placed->end_ns : last_ns;
	}
	want(law, run, last_ns, ==, outcome->elapsed_ns);
	check_workers(law, run);
	for (uint32_t l = 0; l < DRAWN_LOCKS; l++)
		check_lock(law, run, &law->lock[l]);
}

/* ---- bounds ---- */

static bool is_greedy(const struct policy *policy)
{
	return !policy->tied && !policy->apart && !policy->in_turn && !policy->held &&
	       policy->bar == BAR_NOTHING;
}

static void check_bounds(struct law *law, const struct simulation *run,
			 const struct outcome *outcome)
{
	uint64_t p = run->n_workers, work_ns = law->graph.work_ns, span_ns = law->graph.span_ns;
	uint64_t worked_ns = outcome->work_ns, elapsed_ns = outcome->elapsed_ns;
	uint64_t sum_ns = worked_ns + outcome->delay_ns, together_ns = elapsed_ns * p;
	uint64_t most_held_ns = law->most_held_ns, graham_ns;

	want(law, run, worked_ns, ==, work_ns);
	want(law, run, together_ns, >=, work_ns);
	want(law, run, together_ns, >=, sum_ns);
	want(law, run, elapsed_ns, >=, span_ns);
	want(law, run, elapsed_ns, >=, most_held_ns);
	if (!law->free)
		return;
	want(law, run, elapsed_ns, <=, work_ns);
	if (p == 1)
		want(law, run, elapsed_ns, ==, work_ns);
	graham_ns = work_ns - span_ns + (span_ns + law->all_held_ns + law->uneven_ns) * p;
	if (is_greedy(&run->policy))
		want(law, run, together_ns, <=, graham_ns);
}

/* ---- a graph ---- */

static void simulate_once(struct law *law, const struct policy *policy, uint32_t n_workers)
{
	struct simulation run = { .graph = &law->graph,
				  .leads = &law->leads,
				  .searches = &law->searches,
				  .changes = &law->changes,
				  .policy = *policy,
				  .n_workers = n_workers,
				  .seed = law->seed };
	struct outcome outcome;
	struct err err = { 0 };

	law->n_runs++;
	for (strand_id s = 0; s < law->graph.n_steps; s++)
		law->placed[s] = (struct placed){ UINT64_MAX, 0, UINT32_MAX };
	if (simulate(&run, &outcome, law->placed, &err) != 0) {
		breaks(law, &run, err.text, 0, 0);
		return;
	}
	check_placed(law, &run, &outcome);
	check_bounds(law, &run, &outcome);
}

/* From the step that enters the lock on, to the one that leaves it. */
static void add_section(struct law *law, strand_id enters)
{
	const struct graph *graph = &law->graph;
	uint32_t l = graph->lock[enters];
	struct lock_time *lock = &law->lock[l];
	strand_id s = graph->step[enters].next;

	lock->first[lock->n] = s;
	for (;; s = graph->step[s].next) {
		lock->held_ns += graph->step[s].length;
		if (graph->step[s].end == STEP_UNLOCKS && graph->lock[s] == l)
			break;
	}
	lock->last[lock->n++] = s;
}

static void find_sections(struct law *law)
{
	law->all_held_ns = law->most_held_ns = 0;
	for (uint32_t l = 0; l < DRAWN_LOCKS; l++) {
		law->lock[l] = (struct lock_time){
			.first = malloc((law->graph.n_steps + 1ull) * sizeof(strand_id)),
			.last = malloc((law->graph.n_steps + 1ull) * sizeof(strand_id))
		};
	}
	for (strand_id s = 0; s < law->graph.n_steps; s++)
		if (law->graph.step[s].end == STEP_LOCKS)
			add_section(law, s);
	for (uint32_t l = 0; l < DRAWN_LOCKS; l++) {
		law->all_held_ns += law->lock[l].held_ns;
		if (law->lock[l].held_ns > law->most_held_ns)
			law->most_held_ns = law->lock[l].held_ns;
	}
}

static void find_parts(struct law *law)
{
	law->uneven_ns = 0;
	for (strand_id s = 0; s < law->graph.n_steps; s++) {
		const struct step *step = &law->graph.step[s];
		uint64_t n;

		if (!(step->flags & STEP_PARTS))
			continue;
		n = graph_parts(&law->graph, s)->n;
		law->uneven_ns += step->length - step->length / n * (n - 1) -
				  graph_longest_part(&law->graph, s);
	}
}

static void set_changes(struct law *law, struct random *random)
{
	law->free = random_below(random, 4) > 0;
	law->changes = (struct changes){ 0 };
	for (int cost = 0; cost < COST_OF; cost++)
		law->changes.cost[cost].fixed = law->free;
	if (random_below(random, 3))
		return;
	law->changes.kind = law->kind;
	for (size_t k = 0; k < sizeof(law->kind) / sizeof(law->kind[0]); k++)
		law->kind[k] = (struct kind_change){ .split = (uint32_t)random_below(random, 6),
						     .first = random_one_in(random, 6) };
}

static bool build(struct law *law, const struct drawn *drawn)
{
	struct reader *reader;
	struct err err = { 0 };

	if (trace_open(&reader, drawn->text, drawn->n, &err) != 0)
		return trace_told(-1, &err);
	if (dag_build(&law->dag, reader, &err) != 0 || law->dag.n_kinds > 8) {
		printf("seed %" PRIu64 ": %s\n", law->seed, err.text);
		reader_close(reader);
		return false;
	}
	reader_close(reader);
	graph_build(&law->graph, &law->dag, &law->changes);
	leads_build(&law->leads, &law->graph, 0);
	searches_build(&law->searches, &law->graph, policy_find("libgomp"));
	changes_apply(&law->graph, &law->leads, &law->changes);
	graph_measure(&law->graph);
	return true;
}

/* Each policy on one worker and on another number; the greedy ones on all of them. */
static void simulate_all(struct law *law, struct random *random)
{
	static const uint32_t workers[] = { 2, 3, 4, 7, 16, TRIED_MOST };
	enum { N = sizeof(workers) / sizeof(workers[0]) };

	for (const struct policy *policy = policies; policy->name; policy++) {
		uint32_t one = (uint32_t)random_below(random, N);

		simulate_once(law, policy, 1);
		for (uint32_t i = 0; i < N; i++)
			if (i == one || policy == policies)
				simulate_once(law, policy, workers[i]);
	}
}

static bool holds(uint64_t seed, struct drawn *drawn, uint64_t *n_runs)
{
	struct law law = { .seed = seed };
	struct random random = { ~seed };
	bool built;

	drawn_program(drawn, seed);
	set_changes(&law, &random);
	built = build(&law, drawn);
	if (built) {
		law.placed = malloc((law.graph.n_steps + 1ull) * sizeof(*law.placed));
		find_sections(&law);
		find_parts(&law);
		simulate_all(&law, &random);
	}
	*n_runs += law.n_runs;
	for (uint32_t l = 0; l < DRAWN_LOCKS; l++) {
		free(law.lock[l].first);
		free(law.lock[l].last);
	}
	free(law.placed);
	searches_free(&law.searches);
	leads_free(&law.leads);
	graph_free(&law.graph);
	dag_free(&law.dag);
	return built && !law.broken;
}

/* ---- all of them ---- */

#define PATIENCE_S 300u /* for one graph, which takes 1 ms */
static volatile uint64_t seed_now;

static void gives_up(int number)
{
	printf("seed %" PRIu64 ": signal %d\n", seed_now, number);
	fflush(stdout);
	_exit(1);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000, n_broken = 0, n_runs = 0;
	struct drawn *drawn = calloc(1, sizeof(*drawn));

	signal(SIGALRM, gives_up);
	signal(SIGSEGV, gives_up);
	signal(SIGABRT, gives_up);
	for (uint64_t i = 0; drawn && i < n && n_broken < 20; i++) {
		seed_now = first + i;
		alarm(PATIENCE_S);
		n_broken += !holds(seed_now, drawn, &n_runs);
	}
	printf("laws: seeds %" PRIu64 " on: %" PRIu64 " graphs, %" PRIu64 " simulations; %" PRIu64
	       " graphs break one\n",
	       first, n, n_runs, n_broken);
	free(drawn);
	return !drawn || n_broken || !n_runs;
}
