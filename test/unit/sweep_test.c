/* SPDX-License-Identifier: MIT */
/*
 * sweep_test.c - each step of a sweep over the golden traces, against a look at all strands; and
 * the breakdown, against a list of the ready ones.
 */
#include "tools/analysis/sweep.h"

#include "test/lib/test.h"
#include "test/unit/check.h"
#include "test/unit/goldens.h"
#include "test/unit/trace.h"
#include "tools/analysis/breakdown.h"

/* What a run is at an instant. */
struct instant {
	uint64_t p, r, n_members;
	enum path_state path;
};

/* A graph, and all that sweeps over it need. */
struct swept {
	struct dag dag;
	struct pauses pauses;
	struct ready_path path;
	struct sweep_scope scope;
	strand_id *releaser;   /* by strand */
	double *delay;	       /* by kind */
	uint8_t *begun, *over; /* by strand */
};

static bool swept_open(struct swept *swept, const char *text, size_t n)
{
	struct reader *reader;
	struct err err;
	uint32_t hint = 0;

	*swept = (struct swept){ 0 };
	if (trace_open(&reader, text, n, &err) < 0)
		return false;
	check(dag_build(&swept->dag, reader, &err) == 0);
	reader_close(reader);
	check(pauses_find(&swept->pauses, &swept->dag) == 0);
	swept->releaser = malloc((swept->dag.n_strands + 1ull) * sizeof(*swept->releaser));
	for (strand_id s = 0; s < swept->dag.n_strands; s++)
		swept->releaser[s] = dag_is_node(&swept->dag, s) || released_outside(&swept->dag, s)
					     ? STRAND_NONE
					     : ready_path_released_by(&swept->dag, s, &hint);
	return true;
}

static void swept_close(struct swept *swept)
{
	free(swept->releaser);
	pauses_free(&swept->pauses);
	dag_free(&swept->dag);
}

/* By looking at all strands: those that start before `to` and end after `ns`, or wait then. */
static struct instant slow_instant(const struct swept *swept, uint64_t ns)
{
	const struct dag *dag = &swept->dag;
	struct instant now = { 0 };

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id from = swept->releaser[s];

		if (dag_is_node(dag, s) || !sweep_covers(&swept->scope, dag, s))
			continue;
		bool runs = dag_start(dag, s) <= ns && ns < dag_end(dag, s) &&
			    !dag->beside[dag->strand[s].worker];

		now.p += runs && !dag_collapsed(dag, s);
		now.n_members += runs && dag_collapsed(dag, s);
		now.r += from != STRAND_NONE && dag_end(dag, from) <= ns && ns < dag_start(dag, s);
	}
	for (uint32_t i = 0; i < swept->path.n; i++) {
		strand_id s = swept->path.strand[i];

		if (dag_start(dag, s) <= ns && ns < dag_end(dag, s))
			now.path = PATH_RUNS;
		if (i && swept->releaser[s] != STRAND_NONE &&
		    dag_end(dag, swept->path.strand[i - 1]) <= ns && ns < dag_start(dag, s))
			now.path = PATH_READY;
	}
	return now;
}

static void check_time(struct swept *swept, const struct sweep *sweep)
{
	const struct dag *dag = &swept->dag;
	/* nothing changes in that time: so at its last instant all is as at its first */
	struct instant first = slow_instant(swept, sweep->now_ns);
	struct instant last = slow_instant(swept, sweep->now_ns + sweep->ns - 1);
	uint64_t delayed, n_free = 0;

	check(sweep->p == first.p && sweep->p == last.p);
	check(sweep->r == first.r && sweep->r == last.r);
	check(sweep->mixture.n_members == first.n_members);
	check(sweep->path_state == first.path && sweep->path_state == last.path);
	check(sweep->q == swept->scope.n_workers - first.p - first.n_members - sweep->filled);
	for (size_t i = 0; i < STATES_FREE; i++)
		n_free += sweep->n_in[states_charged[i]];
	check(n_free == sweep->q);
	delayed = sweep->q < sweep->r ? sweep->q : sweep->r;
	for (strand_id s = 0; s < dag->n_strands && delayed; s++)
		if (swept->begun && swept->releaser[s] != STRAND_NONE && !swept->begun[s] &&
		    swept->over[swept->releaser[s]] && sweep_covers(&swept->scope, dag, s))
			swept->delay[dag_kind(dag, s)] +=
				(double)(delayed * sweep->ns) / (double)sweep->r;
}

static void check_strand(struct swept *swept, const struct sweep *sweep, enum sweep_what what)
{
	const struct dag *dag = &swept->dag;
	strand_id s = sweep->strand, from = swept->releaser[s];

	check(sweep->counts == sweep_covers(&swept->scope, dag, s));
	if (what == SWEEP_END) {
		check(swept->begun[s] && !swept->over[s]);
		swept->over[s] = 1;
		return;
	}
	check(!swept->begun[s]);
	check(!sweep->counts || sweep->releaser == from);
	check(from == STRAND_NONE || swept->over[from]);
	swept->begun[s] = 1;
}

/* The breakdown charges each kind with an equal share of the delay for each of its ready strands.
 */
static void check_delay(const struct swept *swept, const struct breakdown *b)
{
	for (uint32_t k = 0; k < swept->dag.n_kinds; k++) {
		double off = (double)b->kind[k].delay_ns - swept->delay[k];

		check(swept->dag.n_collapsed ||
		      (off < swept->dag.n_strands + 1. && off > -(swept->dag.n_strands + 1.)));
	}
}

static void check_sweep(struct swept *swept, struct breakdown *b)
{
	const struct dag *dag = &swept->dag;
	const struct select *select = swept->scope.select;
	uint64_t passed_ns = 0, at_ns = 0;
	enum sweep_what what;
	struct sweep sweep;

	check(ready_path_build(&swept->path, dag, swept->scope.runtimes) == 0);
	swept->begun = calloc(dag->n_strands + 1ull, 1);
	swept->over = calloc(dag->n_strands + 1ull, 1);
	swept->delay = calloc(dag->n_kinds + 1ull, sizeof(*swept->delay));
	if (swept->path.n) {
		check(sweep_open(&sweep, dag, &swept->path, &swept->scope) == 0);
		while ((what = sweep_next(&sweep)) != SWEEP_OVER) {
			check(sweep.now_ns >= at_ns);
			at_ns = sweep.now_ns + sweep.ns;
			passed_ns += sweep.ns;
			if (what == SWEEP_TIME)
				check_time(swept, &sweep);
			else if (what != SWEEP_TURN)
				check_strand(swept, &sweep, what);
		}
		check(!sweep.error);
		check(passed_ns == (select ? select->total_ns : dag->elapsed_ns));
		for (strand_id s = 0; s < dag->n_strands; s++)
			check(swept->over[s] == !dag_is_node(dag, s));
		check_delay(swept, b);
		sweep_close(&sweep);
	}
	free(swept->begun);
	free(swept->over);
	free(swept->delay);
	ready_path_free(&swept->path);
}

/* All of the process, each of its runtimes, and two stretches of the time. */
static void check_trace(const char *text, size_t n)
{
	struct select two = { .n_rows = 2, .part = true };
	struct ready_path path;
	struct swept swept;
	struct breakdown b;

	if (!swept_open(&swept, text, n))
		return;
	const struct dag *dag = &swept.dag;

	check(ready_path_build(&path, dag, RUNTIMES_ALL) == 0);
	check(select_add(&two, dag->elapsed_ns / 5, dag->elapsed_ns / 3, 1) == 0);
	check(select_add(&two, dag->elapsed_ns / 2, dag->elapsed_ns - 1, 0) == 0);
	for (int part = 0; part < 2; part++) {
		const struct select *select = part ? &two : NULL;

		swept.scope = sweep_all(dag, &swept.pauses, select);
		check(breakdown_build(&b, dag, &path, &swept.pauses, select) == 0);
		check_sweep(&swept, &b);
		breakdown_free(&b);
		for (uint32_t r = 0; r < dag->n_runtimes; r++) {
			swept.scope = sweep_runtime(dag, r, &swept.pauses, select);
			check(breakdown_build_of(&b, dag, r, &swept.pauses, select) == 0);
			check_sweep(&swept, &b);
			breakdown_free(&b);
		}
	}
	select_free(&two);
	ready_path_free(&path);
	swept_close(&swept);
}

TEST(test_goldens)
{
	goldens_each(GOLDENS, check_trace);
}

#define PAIR                                                                                       \
	"tptrace text 2\nclock ns\nruntime 0 name=x version=y workers=2\nsite 1 name=A\n"          \
	"0 w0 root 0.1\n10 w0 create 0.2 site=1\n10 w0 resume 0.1\n15 w1 begin 0.2\n"              \
	"100 w0 wait children site=2\n100 w1 end\n100 w0 resume 0.1\n110 w0 end\n"

/* A is ready for 5 ns: each step of it, one by one. */
TEST(test_pair)
{
	static const struct {
		enum sweep_what what;
		uint64_t now_ns, ns, p, q, r;
	} want[] = {
		{ SWEEP_START, 0, 0, 1, 0, 0 },	  { SWEEP_TIME, 0, 10, 1, 1, 0 },
		{ SWEEP_END, 10, 0, 0, 0, 2 },	  { SWEEP_START, 10, 0, 1, 0, 1 },
		{ SWEEP_TIME, 10, 5, 1, 1, 1 },	  { SWEEP_START, 15, 0, 2, 0, 0 },
		{ SWEEP_TIME, 15, 85, 2, 0, 0 },  { SWEEP_END, 100, 0, 1, 0, 0 },
		{ SWEEP_END, 100, 0, 0, 0, 1 },	  { SWEEP_START, 100, 0, 1, 0, 0 },
		{ SWEEP_TIME, 100, 10, 1, 1, 0 }, { SWEEP_END, 110, 0, 0, 0, 0 },
		{ SWEEP_OVER, 110, 0, 0, 0, 0 },
	};
	struct swept swept;
	struct sweep sweep;

	name = "pair";
	check(swept_open(&swept, PAIR, strlen(PAIR)));
	swept.scope = sweep_all(&swept.dag, &swept.pauses, NULL);
	check(ready_path_build(&swept.path, &swept.dag, RUNTIMES_ALL) == 0);
	check(sweep_open(&sweep, &swept.dag, &swept.path, &swept.scope) == 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		check(sweep_next(&sweep) == want[i].what);
		check(sweep.now_ns == want[i].now_ns && sweep.ns == want[i].ns);
		check(sweep.p == want[i].p);
		check(want[i].what != SWEEP_TIME || sweep.q == want[i].q);
		check(want[i].what == SWEEP_END || sweep.r == want[i].r);
	}
	check(sweep.n_moves[MOVE_STEAL] == 1);
	sweep_close(&sweep);
	ready_path_free(&swept.path);
	swept_close(&swept);
}
