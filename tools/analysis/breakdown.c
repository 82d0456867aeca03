/* SPDX-License-Identifier: MIT */
/*
 * breakdown.c - one sweep over time.
 *
 * Starts come in the order of the strands; ends from a heap of what runs.  What a strand is
 * charged with for a while it was ready is F(start) - F(ready), where F integrates what one
 * ready strand gets at each instant; so no list of ready strands is ever walked.
 */
#include "tools/analysis/breakdown.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/table.h"

#define SHARE_BITS 12 /* F counts in 2^-12 ns: 48 bits of ns fit */

struct sweep {
	const struct dag *dag;
	const struct path *path;
	struct breakdown *out;
	const struct select *select;
	uint32_t at_span;  /* of the selection: the one that holds `now`, or the next */
	uint16_t runtimes; /* bits: strands of others neither run nor are ready */
	uint32_t n_workers, n_seen;
	uint64_t now;
	uint64_t p, r; /* running and ready strands */
	uint64_t ready_share, idle_share, sched_share,
		app_share;	/* F, and the like by idle worker */
	uint32_t *share_at_end; /* F >> coarse when the strand ended */
	unsigned coarse;	/* so much that 32 bits hold all of F, which is at most elapsed */
	uint32_t hint;		/* dag_extras()'s */
	uint8_t *n_released;	/* strands that become ready when it ends; 255: see many */
	struct table many;
	strand_id *heap; /* running strands, the earliest to end first */
	uint32_t n_heap;
	uint32_t at_path; /* path->strand[at_path] is running, ready, or the first and to come */
	uint64_t *kind_share, *worker_delay, *worker_sched, *worker_app;
	uint64_t edge_share[EDGE_KINDS];
};

static bool counts(const struct sweep *sweep, strand_id s)
{
	return sweep->runtimes == PATH_ALL || dag_runtimes(sweep->dag, s) & sweep->runtimes;
}

static bool count_released(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s) || !counts(sweep, s))
			continue;
		strand_id from = path_released_by(dag, s, &hint);

		if (from == STRAND_NONE)
			continue;
		if (dag->strand[from].worker != dag->strand[s].worker &&
		    select_has(sweep->select, dag_start(dag, s), dag_start(dag, s)))
			sweep->out->n_steals++;
		if (sweep->n_released[from] < UINT8_MAX - 1) {
			sweep->n_released[from]++;
			continue;
		}
		uint64_t *n = table_put(&sweep->many, from);

		if (!n)
			return false;
		*n += sweep->n_released[from] == UINT8_MAX ? 1 : UINT8_MAX;
		sweep->n_released[from] = UINT8_MAX;
	}
	return true;
}

static uint64_t released(const struct sweep *sweep, strand_id s)
{
	return sweep->n_released[s] < UINT8_MAX ? sweep->n_released[s]
						: *table_find(&sweep->many, s);
}

/* ---- the heap ---- */

static bool ends_before(const struct sweep *sweep, strand_id a, strand_id b)
{
	return dag_end(sweep->dag, a) < dag_end(sweep->dag, b);
}

static void heap_push(struct sweep *sweep, strand_id s)
{
	uint32_t at = sweep->n_heap++;

	while (at > 0 && ends_before(sweep, s, sweep->heap[(at - 1) / 2])) {
		sweep->heap[at] = sweep->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	sweep->heap[at] = s;
}

static strand_id heap_pop(struct sweep *sweep)
{
	strand_id top = sweep->heap[0], last = sweep->heap[--sweep->n_heap];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= sweep->n_heap)
			break;
		if (child + 1 < sweep->n_heap &&
		    ends_before(sweep, sweep->heap[child + 1], sweep->heap[child]))
			child++;
		if (!ends_before(sweep, sweep->heap[child], last))
			break;
		sweep->heap[at] = sweep->heap[child];
		at = child;
	}
	sweep->heap[at] = last;
	return top;
}

/* ---- time ---- */

/* amount / n in 2^-SHARE_BITS ns, rounded to the nearest. */
static uint64_t share_of(uint64_t amount, uint64_t n)
{
	unsigned __int128 scaled = ((unsigned __int128)amount << SHARE_BITS) + n / 2;

	if (scaled >> 64)
		return (uint64_t)(scaled / n);
	return (uint64_t)scaled / n; /* much faster, and nearly always */
}

/* What the ready path does in the interval that begins now; it changes only where strands do. */
static void charge_no_work(struct sweep *sweep, uint64_t dt, uint64_t q, uint64_t no_work)
{
	const struct dag *dag = sweep->dag;
	const struct path *path = sweep->path;
	struct breakdown *out = sweep->out;

	while (sweep->at_path + 1 < path->n &&
	       dag_end(dag, path->strand[sweep->at_path]) <= sweep->now)
		sweep->at_path++;
	strand_id s = path->strand[sweep->at_path];
	struct charge *kind = &out->kind[dag_kind(dag, s)];
	bool begun = sweep->at_path > 0 || dag_start(dag, s) <= sweep->now;

	if (begun && dag_start(dag, s) > sweep->now) {
		*(q ? &out->path_scheduler_delay_ns : &out->path_busy_delay_ns) += dt;
		kind->no_work_sched_ns += no_work;
		out->total.no_work_sched_ns += no_work;
		if (q)
			sweep->sched_share += share_of(no_work, q);
		return;
	}
	if (begun && dag_end(dag, s) > sweep->now)
		out->path_work_ns += dt;
	kind->no_work_app_ns += no_work;
	out->total.no_work_app_ns += no_work;
	if (q)
		sweep->app_share += share_of(no_work, q);
}

/* Nothing starts or ends before `to`, and all of that time is selected. */
static void pass(struct sweep *sweep, uint64_t to)
{
	uint64_t dt = to - sweep->now;
	uint64_t q = sweep->n_workers - sweep->p;
	uint64_t delayed = q < sweep->r ? q : sweep->r;

	if (dt == 0)
		return;
	sweep->out->total.work_ns += dt * sweep->p;
	sweep->out->total.delay_ns += dt * delayed;
	if (sweep->r)
		sweep->ready_share += share_of(dt * delayed, sweep->r);
	if (q)
		sweep->idle_share += share_of(dt * delayed, q);
	charge_no_work(sweep, dt, q, dt * (q - delayed));
	sweep->now = to;
}

static void add_difference(struct charge *row, const struct charge *now,
			   const struct charge *before)
{
	row->work_ns += now->work_ns - before->work_ns;
	row->delay_ns += now->delay_ns - before->delay_ns;
	row->no_work_sched_ns += now->no_work_sched_ns - before->no_work_sched_ns;
	row->no_work_app_ns += now->no_work_app_ns - before->no_work_app_ns;
}

/* Passes what is selected of the time up to `to`, and skips the rest. */
static void advance(struct sweep *sweep, uint64_t to)
{
	const struct select *select = sweep->select;

	while (select && sweep->at_span < select->n && sweep->now < to) {
		const struct select_span *span = &select->span[sweep->at_span];
		struct charge before = sweep->out->total;

		if (span->from_ns >= to)
			break;
		if (span->from_ns > sweep->now)
			sweep->now = span->from_ns;
		pass(sweep, span->to_ns < to ? span->to_ns : to);
		add_difference(&sweep->out->row[span->row], &sweep->out->total, &before);
		if (span->to_ns > to)
			break;
		sweep->at_span++;
	}
	if (select && sweep->now < to)
		sweep->now = to;
	else if (!select)
		pass(sweep, to);
}

static void on_start(struct sweep *sweep, strand_id s)
{
	const struct dag *dag = sweep->dag;
	strand_id direct = dag_releaser(dag, s, &sweep->hint);
	strand_id from = direct;
	uint16_t worker = dag->strand[s].worker;

	heap_push(sweep, s);
	if (!counts(sweep, s))
		return;
	if (from != STRAND_NONE && dag_is_node(dag, from))
		from = path_released_by(dag, s, &sweep->hint);
	if (from != STRAND_NONE) {
		uint32_t now = (uint32_t)(sweep->ready_share >> sweep->coarse);
		uint64_t share = now - sweep->share_at_end[from];

		sweep->r--;
		sweep->kind_share[dag_kind(dag, s)] += share;
		sweep->edge_share[dag_edge_kind(dag, direct, s)] += share;
	}
	sweep->worker_delay[worker] -= sweep->idle_share;
	sweep->worker_sched[worker] -= sweep->sched_share;
	sweep->worker_app[worker] -= sweep->app_share;
	sweep->p++;
}

static void on_end(struct sweep *sweep, strand_id s)
{
	const struct dag *dag = sweep->dag;
	uint16_t worker = dag->strand[s].worker;
	uint64_t length = select_within(sweep->select, dag_start(dag, s), dag_end(dag, s));

	sweep->share_at_end[s] = (uint32_t)(sweep->ready_share >> sweep->coarse);
	sweep->r += released(sweep, s);
	if (!counts(sweep, s))
		return;
	sweep->p--;
	sweep->worker_delay[worker] += sweep->idle_share;
	sweep->worker_sched[worker] += sweep->sched_share;
	sweep->worker_app[worker] += sweep->app_share;
	sweep->out->kind[dag_kind(dag, s)].work_ns += length;
	sweep->out->worker[worker].work_ns += length;
}

static void end_until(struct sweep *sweep, uint64_t ns)
{
	while (sweep->n_heap && dag_end(sweep->dag, sweep->heap[0]) <= ns) {
		strand_id s = heap_pop(sweep);

		advance(sweep, dag_end(sweep->dag, s));
		on_end(sweep, s);
	}
}

static void run(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		if (dag_is_node(dag, s))
			continue;
		end_until(sweep, dag_start(dag, s));
		advance(sweep, dag_start(dag, s));
		on_start(sweep, s);
	}
	end_until(sweep, dag->elapsed_ns);
	advance(sweep, dag->elapsed_ns);
}

/* ---- shares to ns ---- */

struct remainder {
	unsigned __int128 rest;
	uint32_t index;
};

static int larger_first(const void *a, const void *b)
{
	const struct remainder *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest < y->rest ? 1 : -1;
	return x->index < y->index ? -1 : 1;
}

int apportion(uint64_t total, const uint64_t *share, uint32_t n, uint64_t *out)
{
	struct remainder *rest = malloc((n + 1) * sizeof(*rest));
	unsigned __int128 sum = 0;
	uint64_t left = total;

	if (!rest)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sum += share[i];
	for (uint32_t i = 0; i < n && sum; i++) {
		unsigned __int128 product = (unsigned __int128)total * share[i];

		out[i] = (uint64_t)(product / sum);
		rest[i] = (struct remainder){ product % sum, i };
		left -= out[i];
	}
	if (sum == 0 && n) {
		memset(out, 0, n * sizeof(*out));
		out[0] = total;
		left = 0;
	}
	if (left) {
		qsort(rest, n, sizeof(*rest), larger_first);
		for (uint32_t i = 0; i < left; i++)
			out[rest[i].index]++;
	}
	free(rest);
	return 0;
}

/* Spreads one column over rows of charges, `offset` bytes into each. */
static int spread(uint64_t total, const uint64_t *share, struct charge *row, uint32_t n,
		  size_t offset)
{
	uint64_t *out = malloc((n + 1) * sizeof(*out));
	int error = out ? apportion(total, share, n, out) : -ENOMEM;

	for (uint32_t i = 0; i < n && !error; i++)
		*(uint64_t *)((char *)&row[i] + offset) = out[i];
	free(out);
	return error;
}

/*
 * A worker was idle whenever it ran nothing: its share is that of the whole window less what
 * passed while it ran.  The row of the unseen has the shares of as many as there are.
 */
static void complete_idle(struct sweep *sweep, const uint8_t *seen)
{
	const struct dag *dag = sweep->dag;
	uint32_t last = dag->n_slots;
	uint64_t n_unseen = sweep->n_workers - sweep->n_seen;

	for (uint32_t w = 0; w < last; w++) {
		/* the columns hold minus what passed while it ran: starts minus, ends plus */
		sweep->worker_delay[w] = seen[w] ? sweep->idle_share - sweep->worker_delay[w] : 0;
		sweep->worker_sched[w] = seen[w] ? sweep->sched_share - sweep->worker_sched[w] : 0;
		sweep->worker_app[w] = seen[w] ? sweep->app_share - sweep->worker_app[w] : 0;
	}
	for (uint32_t w = 0; w < last; w++) { /* 32 bits each, so that a product fits in 64 */
		sweep->worker_delay[w] >>= sweep->coarse;
		sweep->worker_sched[w] >>= sweep->coarse;
		sweep->worker_app[w] >>= sweep->coarse;
	}
	sweep->worker_delay[last] = (sweep->idle_share >> sweep->coarse) * n_unseen;
	sweep->worker_sched[last] = (sweep->sched_share >> sweep->coarse) * n_unseen;
	sweep->worker_app[last] = (sweep->app_share >> sweep->coarse) * n_unseen;
}

static int settle(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	struct breakdown *out = sweep->out;
	uint32_t n_rows = dag->n_slots + 1;
	uint8_t *seen = calloc(n_rows, 1);
	int error = seen ? 0 : -ENOMEM;

	for (strand_id s = 0; s < dag->n_strands && !error; s++)
		if (!dag_is_node(dag, s) && counts(sweep, s))
			seen[dag->strand[s].worker] = 1;
	if (!error)
		complete_idle(sweep, seen);
	if (!error)
		error = spread(out->total.delay_ns, sweep->kind_share, out->kind, dag->n_kinds,
			       offsetof(struct charge, delay_ns));
	if (!error)
		error = apportion(out->total.delay_ns, sweep->edge_share, EDGE_KINDS,
				  out->delay_by_edge_ns);
	if (!error)
		error = spread(out->total.delay_ns, sweep->worker_delay, out->worker, n_rows,
			       offsetof(struct charge, delay_ns));
	if (!error)
		error = spread(out->total.no_work_sched_ns, sweep->worker_sched, out->worker,
			       n_rows, offsetof(struct charge, no_work_sched_ns));
	if (!error)
		error = spread(out->total.no_work_app_ns, sweep->worker_app, out->worker, n_rows,
			       offsetof(struct charge, no_work_app_ns));
	free(seen);
	return error;
}

/* None of its tasks ever began. */
static void charge_all_to_app(struct breakdown *breakdown, const struct dag *dag,
			      uint32_t n_workers, const struct select *select)
{
	uint64_t elapsed_ns = select ? select->total_ns : dag->elapsed_ns;

	breakdown->total.no_work_app_ns = elapsed_ns * n_workers;
	for (uint32_t i = 0; select && i < select->n; i++)
		breakdown->row[select->span[i].row].no_work_app_ns +=
			(select->span[i].to_ns - select->span[i].from_ns) * n_workers;
}

static int build(struct breakdown *breakdown, const struct dag *dag, const struct path *path,
		 uint16_t runtimes, uint32_t n_workers, uint32_t n_seen,
		 const struct select *select)
{
	struct sweep sweep = { .dag = dag,
			       .path = path,
			       .out = breakdown,
			       .select = select,
			       .runtimes = runtimes,
			       .n_workers = n_workers,
			       .n_seen = n_seen };
	uint32_t n_rows = dag->n_slots + 1;
	uint64_t *columns = calloc(dag->n_kinds + 3ull * n_rows, sizeof(*columns));
	int error = -ENOMEM;

	*breakdown = (struct breakdown){ 0 };
	breakdown->kind = calloc(dag->n_kinds + 1, sizeof(*breakdown->kind));
	breakdown->worker = calloc(n_rows, sizeof(*breakdown->worker));
	if (select)
		breakdown->row = calloc(select->n_rows + 1ull, sizeof(*breakdown->row));
	while (dag->elapsed_ns << SHARE_BITS >> sweep.coarse > UINT32_MAX)
		sweep.coarse++;
	sweep.share_at_end = malloc((dag->n_strands + 1ull) * sizeof(*sweep.share_at_end));
	sweep.n_released = calloc(dag->n_strands + 1ull, 1);
	sweep.heap = malloc(n_rows * sizeof(*sweep.heap));
	if (!columns || !breakdown->kind || (select && !breakdown->row) || !breakdown->worker ||
	    !sweep.share_at_end || !sweep.n_released || !sweep.heap)
		goto out;
	sweep.kind_share = columns;
	sweep.worker_delay = columns + dag->n_kinds;
	sweep.worker_sched = sweep.worker_delay + n_rows;
	sweep.worker_app = sweep.worker_sched + n_rows;
	if (!count_released(&sweep))
		goto out;
	if (path->n)
		run(&sweep);
	else
		charge_all_to_app(breakdown, dag, n_workers, select);
	error = settle(&sweep);
out:
	free(columns);
	free(sweep.share_at_end);
	free(sweep.n_released);
	free(sweep.heap);
	table_free(&sweep.many);
	if (error)
		breakdown_free(breakdown);
	return error;
}

int breakdown_build(struct breakdown *breakdown, const struct dag *dag, const struct path *path,
		    const struct select *select)
{
	return build(breakdown, dag, path, PATH_ALL, dag->n_workers, dag->n_seen, select);
}

int breakdown_build_of(struct breakdown *breakdown, const struct dag *dag, uint32_t runtime,
		       const struct select *select)
{
	const struct dag_runtime *facts = &dag->runtime[runtime];
	struct path path = { 0 };
	int error = path_build(&path, dag, (uint16_t)(1u << runtime));

	if (!error)
		error = build(breakdown, dag, &path, (uint16_t)(1u << runtime), facts->n_workers,
			      facts->n_seen, select);
	path_free(&path);
	return error;
}

void breakdown_free(struct breakdown *breakdown)
{
	free(breakdown->kind);
	free(breakdown->worker);
	free(breakdown->row);
	*breakdown = (struct breakdown){ 0 };
}
