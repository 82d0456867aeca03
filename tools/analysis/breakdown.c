/* SPDX-License-Identifier: MIT */
/*
 * breakdown.c - one sweep over time.
 *
 * Starts come in the order of the strands; ends from a heap of what runs.  What a strand is
 * charged with for a while it was ready is F(start) - F(ready), where F integrates what one
 * ready strand gets at each instant; so no list of ready strands is ever walked.
 *
 * While workers run hidden tasks, what is integrated are expectations (mixture.h): no-work and work
 * are rounded as they come, and delay is the rest of elapsed x P.  In the end work is made exact.
 */
#include "tools/analysis/breakdown.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/mixture.h"
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

	struct mixture mixture; /* of hidden tasks */
	uint64_t hidden_share;	/* of hidden strands, as kind_share */
	uint64_t hidden_work;	/* of hidden tasks */
	uint64_t work;		/* of all that ended */
	uint64_t over_ns;	/* so much more than there was time for was charged, by rounding */
	struct began {
		uint64_t delay, sched, app;
	} * began; /* by worker: F and the like when its hidden task began */
	struct {
		double work, sched, app, path_work, path_scheduler, path_busy;
	} rest; /* what rounding left of them */
	bool no_memory;
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

enum path_state { PATH_OUTSIDE, PATH_RUNS, PATH_READY };

/* The strand of the ready path in the interval that begins now: it changes only where strands do.
 */
static strand_id on_path(struct sweep *sweep, enum path_state *state)
{
	const struct dag *dag = sweep->dag;
	const struct path *path = sweep->path;

	while (sweep->at_path + 1 < path->n &&
	       dag_end(dag, path->strand[sweep->at_path]) <= sweep->now)
		sweep->at_path++;
	strand_id s = path->strand[sweep->at_path];

	*state = PATH_OUTSIDE;
	if (dag_start(dag, s) > sweep->now)
		*state = sweep->at_path > 0 ? PATH_READY : PATH_OUTSIDE;
	else if (dag_end(dag, s) > sweep->now)
		*state = PATH_RUNS;
	return s;
}

static void charge_no_work(struct sweep *sweep, uint64_t dt, uint64_t q, uint64_t no_work)
{
	struct breakdown *out = sweep->out;
	enum path_state state;
	strand_id s = on_path(sweep, &state);
	struct charge *kind = &out->kind[dag_kind(sweep->dag, s)];

	if (state == PATH_READY) {
		*(q ? &out->path_scheduler_delay_ns : &out->path_busy_delay_ns) += dt;
		kind->no_work_sched_ns += no_work;
		out->total.no_work_sched_ns += no_work;
		if (q)
			sweep->sched_share += share_of(no_work, q);
		return;
	}
	if (state == PATH_RUNS)
		out->path_work_ns += dt;
	kind->no_work_app_ns += no_work;
	out->total.no_work_app_ns += no_work;
	if (q)
		sweep->app_share += share_of(no_work, q);
}

/* ---- hidden tasks ---- */

/* Rounds what an interval adds to a sum; what is left goes to the next. */
static uint64_t rounded(double amount, double *rest)
{
	double whole = floor(amount + *rest);

	if (whole < 0)
		whole = 0;
	*rest += amount - whole;
	return (uint64_t)whole;
}

static uint64_t scaled(double ns)
{
	return (uint64_t)(ns * (1 << SHARE_BITS) + .5);
}

/* Where the ready path is, while it runs a hidden task or anything else: no-work goes there. */
static double path_rates(struct sweep *sweep, const struct mixture_rates *rates, double dt,
			 enum path_state state, bool hidden)
{
	struct breakdown *out = sweep->out;
	double work = state == PATH_RUNS ? 1 : 0, scheduler = 0, busy = 0;
	double sched = 0;

	if (state == PATH_RUNS && hidden) {
		work = rates->path_work;
		scheduler = rates->path_scheduler;
		busy = rates->path_busy;
		sched = rates->sched;
	} else if (state == PATH_READY) {
		scheduler = rates->starved;
		busy = 1 - rates->starved;
		sched = rates->no_work;
	}
	out->path_work_ns += rounded(dt * work, &sweep->rest.path_work);
	out->path_scheduler_delay_ns += rounded(dt * scheduler, &sweep->rest.path_scheduler);
	out->path_busy_delay_ns += rounded(dt * busy, &sweep->rest.path_busy);
	return sched;
}

static void pass_hidden(struct sweep *sweep, uint64_t ns)
{
	const struct dag *dag = sweep->dag;
	struct mixture *mixture = &sweep->mixture;
	struct breakdown *out = sweep->out;
	uint64_t q_else = sweep->n_workers - sweep->p - mixture->n_members;
	double dt = (double)ns;
	struct mixture_rates rates;
	enum path_state state;
	strand_id s = on_path(sweep, &state);
	bool hidden = state == PATH_RUNS && dag_hidden(dag, s);
	struct charge *kind = &out->kind[dag_kind(dag, s)];

	mixture_on_path(mixture, dag, hidden ? s : STRAND_NONE);
	mixture_rates(mixture, q_else, sweep->r, &rates);
	double q = (double)q_else + mixture->idle;
	double sched = path_rates(sweep, &rates, dt, state, hidden);
	double app = rates.no_work - sched;
	uint64_t sched_ns = rounded(dt * sched, &sweep->rest.sched);
	uint64_t app_ns = rounded(app > 0 ? dt * app : 0, &sweep->rest.app);
	uint64_t work_ns = sweep->p * ns +
			   rounded(dt * (mixture->n_members - mixture->idle), &sweep->rest.work);

	uint64_t no_delay_ns = work_ns + sched_ns + app_ns, all_ns = ns * sweep->n_workers;

	out->total.work_ns += work_ns;
	out->total.delay_ns += all_ns > no_delay_ns ? all_ns - no_delay_ns : 0;
	sweep->over_ns += no_delay_ns > all_ns ? no_delay_ns - all_ns : 0;
	kind->no_work_sched_ns += sched_ns;
	kind->no_work_app_ns += app_ns;
	out->total.no_work_sched_ns += sched_ns;
	out->total.no_work_app_ns += app_ns;
	sweep->ready_share += scaled(dt * rates.share);
	if (q > 0) {
		sweep->idle_share += scaled(dt * rates.delay / q);
		sweep->sched_share += scaled(dt * sched / q);
		sweep->app_share += app > 0 ? scaled(dt * app / q) : 0;
	}
	for (int e = 0; e < EDGE_KINDS; e++) {
		uint64_t share = scaled(dt * rates.edge[e]) >> sweep->coarse;

		sweep->edge_share[e] += share;
		sweep->hidden_share += share;
	}
}

/* Nothing starts or ends before `to`, and all of that time is selected. */
static void pass(struct sweep *sweep, uint64_t to)
{
	uint64_t dt = to - sweep->now;
	uint64_t q = sweep->n_workers - sweep->p;
	uint64_t delayed = q < sweep->r ? q : sweep->r;

	if (dt == 0)
		return;
	if (sweep->mixture.n_members) {
		pass_hidden(sweep, dt);
		sweep->now = to;
		return;
	}
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
	if (!dag_hidden(dag, s)) {
		sweep->p++;
		return;
	}
	sweep->began[worker] =
		(struct began){ sweep->idle_share, sweep->sched_share, sweep->app_share };
	if (mixture_add(&sweep->mixture, dag, s) < 0)
		sweep->no_memory = true;
}

/* The worker was idle for part of the time that its hidden task took. */
static void end_hidden(struct sweep *sweep, strand_id s)
{
	uint16_t worker = sweep->dag->strand[s].worker;
	const struct began *began = &sweep->began[worker];
	double idle = mixture_idle(sweep->dag, s);

	sweep->worker_delay[worker] -=
		(uint64_t)(idle * (double)(sweep->idle_share - began->delay));
	sweep->worker_sched[worker] -=
		(uint64_t)(idle * (double)(sweep->sched_share - began->sched));
	sweep->worker_app[worker] -= (uint64_t)(idle * (double)(sweep->app_share - began->app));
	mixture_remove(&sweep->mixture, sweep->dag, s);
}

static uint64_t part_of(uint64_t work, uint64_t within, uint64_t length)
{
	if (within == length)
		return work;
	return (uint64_t)((unsigned __int128)work * within / length);
}

static void on_end(struct sweep *sweep, strand_id s)
{
	const struct dag *dag = sweep->dag;
	uint16_t worker = dag->strand[s].worker;
	const struct hidden *hidden = dag_hidden(dag, s);
	uint64_t length = dag_length(dag, s);
	uint64_t within = select_within(sweep->select, dag_start(dag, s), dag_end(dag, s));
	uint64_t work = part_of(dag_work(dag, s), within, length);

	sweep->share_at_end[s] = (uint32_t)(sweep->ready_share >> sweep->coarse);
	sweep->r += released(sweep, s);
	if (!counts(sweep, s))
		return;
	if (hidden)
		end_hidden(sweep, s);
	else
		sweep->p--;
	sweep->worker_delay[worker] += sweep->idle_share;
	sweep->worker_sched[worker] += sweep->sched_share;
	sweep->worker_app[worker] += sweep->app_share;
	uint64_t own = hidden ? part_of(hidden->own_ns, within, length) : work;

	sweep->out->kind[dag_kind(dag, s)].work_ns += own;
	sweep->hidden_work += work - own;
	sweep->out->worker[worker].work_ns += work;
	sweep->work += work;
}

static void end_until(struct sweep *sweep, uint64_t ns)
{
	while (sweep->n_heap && dag_end(sweep->dag, sweep->heap[0]) <= ns) {
		strand_id s = heap_pop(sweep);

		advance(sweep, dag_end(sweep->dag, s));
		on_end(sweep, s);
	}
}

static uint64_t *largest_work(struct charge *row, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++)
		if (row[i].work_ns > row[most].work_ns)
			most = i;
	return &row[most].work_ns;
}

/*
 * While hidden tasks ran, work was what to expect of them; in all it is what they had, at the
 * expense of delay.  Only by some ns of rounding there may be more than there was time for; those
 * are taken from the largest rows.
 */
static void correct(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	const struct select *select = sweep->select;
	struct breakdown *out = sweep->out;
	struct charge none = { 0 }, *row = &none;
	int64_t missing = (int64_t)(sweep->work - out->total.work_ns) + (int64_t)sweep->over_ns;
	int64_t delay = (int64_t)out->total.delay_ns;
	uint64_t over = missing > delay ? (uint64_t)(missing - delay) : 0;
	uint64_t work = sweep->work - over;

	if (select && select->n)
		row = &out->row[select->span[select->n - 1].row];
	row->work_ns += work - out->total.work_ns;
	row->delay_ns -= (uint64_t)(over ? delay : missing);
	out->total.delay_ns -= (uint64_t)(over ? delay : missing);
	out->total.work_ns = work;
	if (over) {
		*largest_work(out->kind, dag->n_kinds) -= over;
		*largest_work(out->worker, dag->n_slots) -= over;
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
	correct(sweep);
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

/*
 * Work and delay of hidden strands belong to the kinds of hidden tasks: their tallies say how much
 * work each kind had, and how long its tasks were ready.
 */
static int spread_hidden(struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	struct charge *kind = sweep->out->kind;
	uint64_t all_ready = 0;
	uint64_t *share = calloc(2 * (dag->n_kinds + 1ull), sizeof(*share));
	uint64_t *part = share + dag->n_kinds + 1;
	int error = share ? 0 : -ENOMEM;

	for (uint32_t k = 0; k < dag->n_kinds && !error; k++)
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->work_ns : 0;
	if (!error)
		error = apportion(sweep->hidden_work, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds && !error; k++) {
		kind[k].work_ns += part[k];
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->ready_ns : 0;
		all_ready += share[k];
	}
	for (uint32_t k = 0; k < dag->n_kinds && !error && !all_ready; k++)
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->n_tasks : 0;
	if (!error)
		error = apportion(sweep->hidden_share, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds && !error; k++)
		sweep->kind_share[k] += part[k];
	free(share);
	return error;
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
	if (!error && dag->n_hidden)
		error = spread_hidden(sweep);
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
			       .n_seen = n_seen,
			       .mixture = { .on_path = STRAND_NONE } };
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
	sweep.began = calloc(n_rows, sizeof(*sweep.began));
	if (!sweep.began || !columns || !breakdown->kind || (select && !breakdown->row) ||
	    !breakdown->worker || !sweep.share_at_end || !sweep.n_released || !sweep.heap)
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
	error = sweep.no_memory ? -ENOMEM : settle(&sweep);
out:
	free(columns);
	free(sweep.share_at_end);
	free(sweep.n_released);
	free(sweep.heap);
	free(sweep.began);
	mixture_free(&sweep.mixture);
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
