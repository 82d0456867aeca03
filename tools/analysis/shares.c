/* SPDX-License-Identifier: MIT */
/* shares.c - turns shares into ns. */
#include "tools/analysis/shares.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "tools/analysis/apportion.h"

int shares_open(struct shares *shares, const struct dag *dag)
{
	*shares = (struct shares){ .dag = dag };
	while (dag->elapsed_ns << SHARE_BITS >> shares->coarse > UINT32_MAX)
		shares->coarse++;
	shares->worker = calloc(dag->n_slots + 1ull, sizeof(*shares->worker));
	shares->kind = calloc(dag->n_kinds + 1ull, sizeof(*shares->kind));
	return shares->worker && shares->kind ? 0 : -ENOMEM;
}

void shares_close(struct shares *shares)
{
	free(shares->worker);
	free(shares->kind);
	*shares = (struct shares){ 0 };
}

/* Spreads one column over rows of charges, `offset` bytes into each. */
static int spread(uint64_t total, const uint64_t *share, struct charge *row, uint32_t n,
		  size_t offset)
{
	uint64_t *out = malloc((n + 1ull) * sizeof(*out));
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
	shares->worker[last] =
		(struct idle_share){ (all.delay >> shares->coarse) * n_unseen,
				     (all.sched >> shares->coarse) * n_unseen,
				     (all.app >> shares->coarse) * n_unseen };
}

/* Spreads one column over the workers; `from` and `to` bytes into share and charge. */
static int spread_idle(const struct shares *shares, uint64_t total, struct charge *row,
		       size_t from, size_t to)
{
	uint32_t n = shares->dag->n_slots + 1;
	uint64_t *share = malloc((n + 1ull) * sizeof(*share));
	int error = share ? 0 : -ENOMEM;

	for (uint32_t w = 0; w < n && !error; w++)
		share[w] = *(const uint64_t *)((const char *)&shares->worker[w] + from);
	if (!error)
		error = spread(total, share, row, n, to);
	free(share);
	return error;
}

/*
 * Work and delay of hidden strands belong to the kinds of hidden tasks: their tallies say how much
 * work each kind had, and how long its tasks were ready.
 */
static int spread_hidden(struct shares *shares, struct charge *kind)
{
	const struct dag *dag = shares->dag;
	uint64_t all_ready = 0;
	uint64_t *share = calloc(2 * (dag->n_kinds + 1ull), sizeof(*share));
	uint64_t *part = share + dag->n_kinds + 1;
	int error = share ? 0 : -ENOMEM;

	for (uint32_t k = 0; k < dag->n_kinds && !error; k++)
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->work_ns : 0;
	if (!error)
		error = apportion(shares->hidden_work, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds && !error; k++) {
		kind[k].work_ns += part[k];
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->ready_ns : 0;
		all_ready += share[k];
	}
	for (uint32_t k = 0; k < dag->n_kinds && !error && !all_ready; k++)
		share[k] = dag->kind_hidden[k] ? dag->kind_hidden[k]->n_tasks : 0;
	if (!error)
		error = apportion(shares->hidden, share, dag->n_kinds, part);
	for (uint32_t k = 0; k < dag->n_kinds && !error; k++)
		shares->kind[k] += part[k];
	free(share);
	return error;
}

int shares_settle(struct shares *shares, struct breakdown *out, const uint8_t *seen,
		  uint64_t n_unseen)
{
	const struct dag *dag = shares->dag;
	const struct charge *total = &out->total;
	int error = 0;

	complete_idle(shares, seen, n_unseen);
	if (dag->n_hidden)
		error = spread_hidden(shares, out->kind);
	if (!error)
		error = spread(total->delay_ns, shares->kind, out->kind, dag->n_kinds,
			       offsetof(struct charge, delay_ns));
	if (!error)
		error = apportion(total->delay_ns, shares->edge, EDGE_KINDS,
				  out->delay_by_edge_ns);
	if (!error)
		error = spread_idle(shares, total->delay_ns, out->worker,
				    offsetof(struct idle_share, delay),
				    offsetof(struct charge, delay_ns));
	if (!error)
		error = spread_idle(shares, total->no_work_sched_ns, out->worker,
				    offsetof(struct idle_share, sched),
				    offsetof(struct charge, no_work_sched_ns));
	if (!error)
		error = spread_idle(shares, total->no_work_app_ns, out->worker,
				    offsetof(struct idle_share, app),
				    offsetof(struct charge, no_work_app_ns));
	return error;
}
