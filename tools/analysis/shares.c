/* SPDX-License-Identifier: MIT */
/* shares.c - turns shares into ns. */
#include "tools/analysis/shares.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/apportion.h"
#include "tools/base/xalloc.h"

void shares_open(struct shares *shares, const struct dag *dag)
{
	*shares = (struct shares){ .dag = dag };
	while (dag->elapsed_ns << SHARE_BITS >> shares->coarse > UINT32_MAX)
		shares->coarse++;
	shares->worker = xcalloc(dag->n_slots + 1ull, sizeof(*shares->worker));
	shares->began = xcalloc(dag->n_slots + 1ull, sizeof(*shares->began));
	shares->kind = xcalloc(dag->n_kinds + 1ull, sizeof(*shares->kind));
	shares->starved_kind = xcalloc(dag->n_kinds + 1ull, sizeof(*shares->starved_kind));
	shares->beside_kind = xcalloc(dag->n_kinds + 1ull, sizeof(*shares->beside_kind));
	shares->beside_worker = xcalloc(dag->n_slots + 1ull, sizeof(*shares->beside_worker));
	pages_open(&shares->ended, dag->n_strands, sizeof(struct share_at));
}

uint64_t *shares_by_kind(const uint64_t *crossed, uint32_t n, const struct dag *dag,
			 const kind_id *kind_of)
{
	uint64_t *joined = xcalloc(dag->n_kinds + 1ull, sizeof(*joined));

	for (kind_id k = 0; k < n; k++)
		joined[kind_of[k]] += crossed[k];
	return joined;
}

void shares_join(struct shares *joined, const struct shares *crossed, const struct dag *dag,
		 const kind_id *kind_of)
{
	uint32_t n = crossed->dag->n_kinds;
	size_t size = (dag->n_slots + 1ull) * sizeof(*joined->worker);

	*joined = *crossed;
	joined->dag = dag;
	joined->began = NULL;
	joined->ended = (struct pages){ 0 };
	joined->worker = xmalloc(size);
	joined->kind = shares_by_kind(crossed->kind, n, dag, kind_of);
	joined->starved_kind = shares_by_kind(crossed->starved_kind, n, dag, kind_of);
	joined->beside_kind = shares_by_kind(crossed->beside_kind, n, dag, kind_of);
	joined->beside_worker = xmalloc((dag->n_slots + 1ull) * sizeof(*joined->beside_worker));
	memcpy(joined->worker, crossed->worker, size);
	memcpy(joined->beside_worker, crossed->beside_worker,
	       (dag->n_slots + 1ull) * sizeof(*joined->beside_worker));
}

void shares_close(struct shares *shares)
{
	free(shares->worker);
	free(shares->began);
	free(shares->kind);
	free(shares->starved_kind);
	free(shares->beside_kind);
	free(shares->beside_worker);
	pages_close(&shares->ended);
	*shares = (struct shares){ 0 };
}

static struct share_at share_now(const struct shares *shares)
{
	return (struct share_at){ (uint32_t)(shares->ready >> shares->coarse),
				  (uint32_t)(shares->starved >> shares->coarse) };
}

void shares_start(struct shares *shares, const struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	strand_id s = sweep->strand;
	uint16_t worker = dag->strand[s].worker;

	if (!sweep->counts)
		return;
	if (sweep->releaser != STRAND_NONE) {
		const struct share_at *ended = pages_at(&shares->ended, sweep->releaser);
		struct share_at now = share_now(shares);
		uint64_t share = now.ready - ended->ready;

		shares->kind[dag_kind(dag, s)] += share;
		shares->starved_kind[dag_kind(dag, s)] += now.starved - ended->starved;
		shares->edge[sweep->edge] += share;
		pages_drop(&shares->ended, sweep->releaser);
	}
	idle_share_take(&shares->worker[worker], &shares->idle);
	if (dag->beside[worker]) {
		shares->beside_kind[dag_kind(dag, s)] -= shares->beside;
		shares->beside_worker[worker] -= shares->beside;
	}
	if (dag_collapsed(dag, s))
		shares->began[worker] = shares->idle;
}

/* The worker was idle for part of the time that its collapsed task took. */
static void end_collapsed(struct shares *shares, const struct sweep *sweep)
{
	uint16_t worker = sweep->dag->strand[sweep->strand].worker;
	const struct idle_share *began = &shares->began[worker], *now = &shares->idle;
	double idle = mixture_idle(sweep->dag, sweep->strand);
	struct idle_share share = { (uint64_t)(idle * (double)(now->delay - began->delay)),
				    (uint64_t)(idle * (double)(now->sched - began->sched)),
				    (uint64_t)(idle * (double)(now->app - began->app)) };

	idle_share_take(&shares->worker[worker], &share);
}

void shares_end(struct shares *shares, const struct sweep *sweep)
{
	const struct dag *dag = sweep->dag;
	strand_id s = sweep->strand;

	if (sweep->n_released) {
		struct share_at *ended = pages_hold(&shares->ended, s, (uint32_t)sweep->n_released);

		*ended = share_now(shares);
	}
	if (!sweep->counts)
		return;
	if (dag->beside[dag->strand[s].worker]) {
		shares->beside_kind[dag_kind(dag, s)] += shares->beside;
		shares->beside_worker[dag->strand[s].worker] += shares->beside;
	}
	if (dag_collapsed(dag, s))
		end_collapsed(shares, sweep);
	idle_share_add(&shares->worker[dag->strand[s].worker], &shares->idle);
}

/* Spreads one column over rows of charges, `offset` bytes into each. */
static void spread(uint64_t total, const uint64_t *share, struct charge *row, uint32_t n,
		   size_t offset)
{
	uint64_t *out = xmalloc((n + 1ull) * sizeof(*out));

	apportion(total, share, n, out);

	for (uint32_t i = 0; i < n; i++)
		*(uint64_t *)((char *)&row[i] + offset) = out[i];
	free(out);
}

/*
 * A worker was idle whenever it ran nothing: its share is that of the whole window less what
 * passed while it ran.  The row of the unseen has the shares of as many as there are.
 */
static void complete_idle(struct shares *shares, const uint8_t *seen, uint64_t n_unseen)
{
	uint32_t last = shares->dag->n_slots;
	struct idle_share all = shares->idle;

	for (uint32_t w = 0; w < last; w++) {
		struct idle_share ran = shares->worker[w];

		shares->worker[w] = seen[w] ? all : (struct idle_share){ 0 };
		if (seen[w])
			idle_share_take(&shares->worker[w], &ran);
		shares->worker[w].delay >>= shares->coarse; /* 32 bits: a product fits in 64 */
		shares->worker[w].sched >>= shares->coarse;
		shares->worker[w].app >>= shares->coarse;
	}
	shares->worker[last] = (struct idle_share){ (all.delay >> shares->coarse) * n_unseen,
						    (all.sched >> shares->coarse) * n_unseen,
						    (all.app >> shares->coarse) * n_unseen };
}

/* Spreads one column over the workers; `from` and `to` bytes into share and charge. */
static void spread_idle(const struct shares *shares, uint64_t total, struct charge *row,
			size_t from, size_t to)
{
	uint32_t n = shares->dag->n_slots + 1;
	uint64_t *share = xmalloc((n + 1ull) * sizeof(*share));

	for (uint32_t w = 0; w < n; w++)
		share[w] = *(const uint64_t *)((const char *)&shares->worker[w] + from);
	spread(total, share, row, n, to);
	free(share);
}

/*
 * Work and delay of collapsed strands belong to the kinds of collapsed tasks: their tallies say how
 * much work each kind had, and how long its tasks were ready.
 */
static void spread_collapsed(struct shares *shares, struct charge *kind)
{
	const struct dag *dag = shares->dag;
	uint64_t all_ready = 0;
	uint64_t *share = xcalloc(2 * (dag->n_kinds + 1ull), sizeof(*share));
	uint64_t *part = share + dag->n_kinds + 1;

	for (uint32_t k = 0; k < dag->n_kinds; k++)
		share[k] = dag->kind_collapsed[k] ? dag->kind_collapsed[k]->work_ns : 0;
	apportion(shares->collapsed_work, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		kind[k].work_ns += part[k];
		share[k] = dag->kind_collapsed[k] ? dag->kind_collapsed[k]->ready_ns : 0;
		all_ready += share[k];
	}
	for (uint32_t k = 0; k < dag->n_kinds && !all_ready; k++)
		share[k] = dag->kind_collapsed[k] ? dag->kind_collapsed[k]->n_tasks : 0;
	apportion(shares->collapsed, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		shares->kind[k] += part[k];
	apportion(shares->starved_collapsed, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds; k++)
		shares->starved_kind[k] += part[k];
	free(share);
}

/* What idle workers had of the delay. */
static void spread_starved(const struct shares *shares, struct breakdown *out)
{
	uint32_t n = shares->dag->n_kinds;
	uint64_t *part = xmalloc((n + 1ull) * sizeof(*part));

	apportion(out->state[STATE_IDLE].delay_ns, shares->starved_kind, n, part);
	for (uint32_t k = 0; k < n; k++)
		out->in_state[k].ns[STATE_IDLE] += part[k];
	free(part);
}

/* One column over the workers: delay and the two of no-work. */
static void spread_over_workers(const struct shares *shares, struct breakdown *out)
{
	const struct charge *total = &out->total;
	const struct {
		uint64_t ns;
		size_t from, to; /* bytes into share and charge */
	} column[] = {
		{ total->delay_ns, offsetof(struct idle_share, delay),
		  offsetof(struct charge, delay_ns) },
		{ total->no_work_sched_ns, offsetof(struct idle_share, sched),
		  offsetof(struct charge, no_work_sched_ns) },
		{ total->no_work_app_ns, offsetof(struct idle_share, app),
		  offsetof(struct charge, no_work_app_ns) },
	};

	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++)
		spread_idle(shares, column[i].ns, out->worker, column[i].from, column[i].to);
}

/* Work beside the workers: of its kinds, and of the threads that did it. */
static void spread_beside(const struct shares *shares, struct charge *row, const uint64_t *share,
			  uint32_t n)
{
	uint64_t *part = xmalloc((n + 1ull) * sizeof(*part));

	apportion(shares->beside_ns, share, n, part);

	for (uint32_t i = 0; i < n; i++)
		row[i].work_ns += part[i];
	free(part);
}

void shares_settle(struct shares *shares, struct breakdown *out, const uint8_t *seen,
		   uint64_t n_unseen)
{
	const struct dag *dag = shares->dag;
	const struct charge *total = &out->total;

	complete_idle(shares, seen, n_unseen);
	if (dag->n_collapsed)
		spread_collapsed(shares, out->kind);
	if (shares->beside_ns)
		spread_beside(shares, out->kind, shares->beside_kind, dag->n_kinds);
	if (shares->beside_ns)
		spread_beside(shares, out->worker, shares->beside_worker, dag->n_slots);
	spread(total->delay_ns, shares->kind, out->kind, dag->n_kinds,
	       offsetof(struct charge, delay_ns));
	spread_starved(shares, out);
	apportion(total->delay_ns, shares->edge, EDGE_KINDS, out->delay_by_edge_ns);
	spread_over_workers(shares, out);
}
