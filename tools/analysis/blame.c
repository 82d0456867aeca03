/* SPDX-License-Identifier: MIT */
/* blame.c - follows each worker through its pauses. */
#include "tools/analysis/blame.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/apportion.h"
#include "tools/base/at_most.h"
#include "tools/base/xalloc.h"

void blame_open(struct blaming *blaming, const struct dag *dag)
{
	uint64_t workers = at_least(dag->n_slots, dag->n_workers);
	unsigned __int128 most = (unsigned __int128)dag->elapsed_ns * workers << SHARE_BITS;

	*blaming = (struct blaming){ .dag = dag };
	while (most >> blaming->coarse > INT64_MAX)
		blaming->coarse++;
	blaming->worker = xmalloc((dag->n_slots + 1ull) * sizeof(*blaming->worker));
	for (int s = 0; s < STATES; s++) {
		if (!state_is_blamed(s))
			continue;
		blaming->by_kind[s] = xcalloc(dag->n_kinds + 1ull, sizeof(*blaming->by_kind[s]));
	}
	for (uint32_t w = 0; w < dag->n_slots; w++)
		blaming->worker[w] = (struct paused){ .before = STRAND_NONE };
}

void blame_join(struct blaming *joined, const struct blaming *crossed, const struct dag *dag,
		const kind_id *kind_of)
{
	uint32_t n = crossed->dag->n_kinds;
	size_t size = (dag->n_slots + 1ull) * sizeof(*joined->worker);

	*joined = *crossed;
	joined->dag = dag;
	joined->worker = xmalloc(size);
	for (int s = 0; s < STATES; s++) {
		if (!state_is_blamed(s))
			continue;
		joined->by_kind[s] = shares_by_kind(crossed->by_kind[s], n, dag, kind_of);
	}
	memcpy(joined->worker, crossed->worker, size);
}

void blame_close(struct blaming *blaming)
{
	free(blaming->worker);
	for (int s = 0; s < STATES; s++)
		free(blaming->by_kind[s]);
	*blaming = (struct blaming){ 0 };
}

/* ---- pauses ---- */

/* What the worker got since it is in its state. */
static void add_state(const struct blaming *blaming, struct paused *paused)
{
	struct idle_share share = blaming->in[paused->in];

	idle_share_take(&share, &paused->since);
	if (state_is_blamed(paused->in))
		idle_share_add(&paused->in_state[paused->in], &share);
}

static void enter_state(const struct blaming *blaming, struct paused *paused, enum state state)
{
	paused->in = state;
	paused->since = blaming->in[state];
}

static uint64_t sum_of(const struct idle_share *share)
{
	return share->delay + share->sched + share->app;
}

static void make_coarse(const struct blaming *blaming, struct idle_share *share)
{
	share->delay >>= blaming->coarse;
	share->sched >>= blaming->coarse;
	share->app >>= blaming->coarse;
}

/* The pause is over; `next` is STRAND_NONE at the end of the window. */
static void end_pause(struct blaming *blaming, struct paused *paused, uint8_t after, strand_id next)
{
	const struct dag *dag = blaming->dag;
	bool of_next = after & PAUSE_OF_NEXT && next != STRAND_NONE;
	kind_id kind = dag_kind(dag, of_next ? next : paused->before);

	add_state(blaming, paused);
	for (int s = 0; s < STATES; s++) {
		if (!state_is_blamed(s))
			continue;
		make_coarse(blaming, &paused->in_state[s]);
		blaming->by_kind[s][kind] += sum_of(&paused->in_state[s]);
	}
	idle_share_add(&blaming->call[pause_call(after)], &paused->in_state[STATE_RUNTIME]);
	paused->before = STRAND_NONE;
}

void blame_start(struct blaming *blaming, const struct sweep *sweep)
{
	uint32_t worker = blaming->dag->strand[sweep->strand].worker;
	struct paused *paused = &blaming->worker[worker];

	if (paused->before != STRAND_NONE)
		end_pause(blaming, paused, sweep->scope.pauses->after[paused->before],
			  sweep->strand);
}

void blame_end(struct blaming *blaming, const struct sweep *sweep)
{
	uint32_t worker = blaming->dag->strand[sweep->strand].worker;
	struct paused *paused = &blaming->worker[worker];

	if (!sweep->counts)
		return;
	*paused = (struct paused){ .before = sweep->strand };
	enter_state(blaming, paused, workers_state(&sweep->workers, worker));
}

void blame_turn(struct blaming *blaming, const struct sweep *sweep)
{
	struct paused *paused = &blaming->worker[sweep->worker];

	if (paused->before == STRAND_NONE)
		return;
	add_state(blaming, paused);
	enter_state(blaming, paused, workers_state(&sweep->workers, sweep->worker));
}

/* ---- collapsed tasks ---- */

/* What the worker was in the runtime for, by the edge of what it began next. */
static const enum runtime_call call_of_edge[EDGE_KINDS] = {
	[EDGE_CREATE] = CALL_BEGIN, [EDGE_CREATE_CONT] = CALL_CREATE, [EDGE_WAIT_CONT] = CALL_WAIT,
	[EDGE_JOIN] = CALL_WAIT,    [EDGE_DEPEND] = CALL_BEGIN,	      [EDGE_SYNC] = CALL_LOCK,
};

void blame_collapsed(struct blaming *blaming, const struct mixture *mixture,
		     const struct idle_share *share)
{
	double free = mixture->idle > 0 ? 1 - mixture->held / mixture->idle : 0;
	struct idle_share each = *share; /* before it is multiplied: n of them fit then */

	make_coarse(blaming, &each);
	for (int e = 0; e < EDGE_KINDS; e++) {
		double n = free * (mixture->next[0][e] + mixture->next[1][e]);
		struct idle_share part = { (uint64_t)(n * (double)each.delay),
					   (uint64_t)(n * (double)each.sched),
					   (uint64_t)(n * (double)each.app) };

		idle_share_add(&blaming->call[call_of_edge[e]], &part);
		blaming->collapsed += sum_of(&part);
	}
}

/* ---- the end ---- */

static void end_pauses(struct blaming *blaming, const struct sweep *sweep)
{
	for (uint32_t w = 0; w < blaming->dag->n_slots; w++) {
		struct paused *paused = &blaming->worker[w];

		if (paused->before != STRAND_NONE)
			end_pause(blaming, paused, sweep->scope.pauses->after[paused->before],
				  STRAND_NONE);
	}
}

/* How long workers were idle in parts that have no tasks below them, but yield and wait: by kind;
 * returns that of all others, whose kinds nobody tells apart. */
static uint64_t idle_by_kind(const struct dag *dag, uint64_t *own_ns)
{
	uint64_t rest_ns = 0;

	for (strand_id s = 0; dag->n_collapsed && s < dag->n_strands; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);

		if (collapsed && collapsed->n_tasks)
			rest_ns += collapsed_idle_ns(collapsed);
		else if (collapsed)
			own_ns[dag_kind(dag, s)] += collapsed_idle_ns(collapsed);
	}
	return rest_ns;
}

/* The runtime's time among collapsed tasks is shared out by how many of them each kind has; that in
 * parts without tasks is their own kind's. */
static void spread_collapsed(struct blaming *blaming)
{
	const struct dag *dag = blaming->dag;
	uint32_t n = dag->n_kinds;
	uint64_t *own = xcalloc(3 * (n + 1ull), sizeof(*own));
	uint64_t *tasks = own + n + 1, *part = tasks + n + 1;

	for (kind_id k = 0; k < n; k++)
		tasks[k] = dag->kind_collapsed[k] ? dag->kind_collapsed[k]->n_tasks : 0;
	apportion(idle_by_kind(dag, own), tasks, n, part);
	for (kind_id k = 0; k < n; k++)
		own[k] += part[k];
	apportion(blaming->collapsed, own, n, part);
	for (kind_id k = 0; k < n; k++)
		blaming->by_kind[STATE_RUNTIME][k] += part[k];
	free(own);
}

/* One column of the runtime's time over its calls; `from` and `to` bytes into share and charge. */
static void spread_over_calls(const struct blaming *blaming, uint64_t total, struct charge *call,
			      size_t from, size_t to)
{
	uint64_t share[CALLS], part[CALLS];

	for (int c = 0; c < CALLS; c++)
		share[c] = *(const uint64_t *)((const char *)&blaming->call[c] + from);
	apportion(total, share, CALLS, part);
	for (int c = 0; c < CALLS; c++)
		*(uint64_t *)((char *)&call[c] + to) = part[c];
}

/* The kinds' part of the time in that state. */
static void settle_state(const struct blaming *blaming, enum state state, struct breakdown *out)
{
	uint32_t n = blaming->dag->n_kinds;
	uint64_t *part = xcalloc(n + 1ull, sizeof(*part));

	apportion(charge_sum(&out->state[state]), blaming->by_kind[state], n, part);

	for (kind_id k = 0; k < n; k++)
		out->in_state[k].ns[state] = part[k];
	free(part);
}

void blame_settle(struct blaming *blaming, const struct sweep *sweep, struct breakdown *out)
{
	const struct charge *runtime = &out->state[STATE_RUNTIME];

	end_pauses(blaming, sweep);
	if (blaming->collapsed)
		spread_collapsed(blaming);
	spread_over_calls(blaming, runtime->delay_ns, out->call, offsetof(struct idle_share, delay),
			  offsetof(struct charge, delay_ns));
	spread_over_calls(blaming, runtime->no_work_sched_ns, out->call,
			  offsetof(struct idle_share, sched),
			  offsetof(struct charge, no_work_sched_ns));
	spread_over_calls(blaming, runtime->no_work_app_ns, out->call,
			  offsetof(struct idle_share, app),
			  offsetof(struct charge, no_work_app_ns));
	for (int state = 0; state < STATES; state++)
		if (state_is_blamed(state))
			settle_state(blaming, state, out);
}
