/* SPDX-License-Identifier: MIT */
/* numbers.h - all figures that follow from a graph add up, and are within their bounds. */
#pragma once

#include <stdlib.h>

#include "test/unit/check.h"
#include "tools/analysis/breakdown.h"
#include "tools/analysis/kinds.h"
#include "tools/analysis/ready_path.h"
#include "tools/analysis/span.h"

static inline void add(struct charge *sum, const struct charge *one)
{
	sum->work_ns += one->work_ns;
	sum->delay_ns += one->delay_ns;
	sum->no_work_sched_ns += one->no_work_sched_ns;
	sum->no_work_app_ns += one->no_work_app_ns;
}

static inline bool same(const struct charge *x, const struct charge *y)
{
	return x->work_ns == y->work_ns && x->delay_ns == y->delay_ns &&
	       x->no_work_sched_ns == y->no_work_sched_ns && x->no_work_app_ns == y->no_work_app_ns;
}

static inline bool within(uint64_t x, uint64_t y, uint64_t slack)
{
	return x < y ? y - x <= slack : x - y <= slack;
}

/* Of a part of a collapsed task expectations are rounded: one ns a task and component, at each of
 * its ends (damaged ones need not fit their length). */
static inline bool alike(const struct dag *dag, const struct charge *x, const struct charge *y)
{
	uint64_t slack = 2ull * dag->n_collapsed;

	return within(x->work_ns, y->work_ns, slack) && within(x->delay_ns, y->delay_ns, slack) &&
	       within(x->no_work_sched_ns, y->no_work_sched_ns, slack) &&
	       within(x->no_work_app_ns, y->no_work_app_ns, slack);
}

/* States add up to the components, calls and kinds to the states. */
static inline void check_states(const struct dag *dag, const struct breakdown *b)
{
	struct charge sum = { 0 }, calls = { 0 };

	for (int i = 0; i < STATES; i++) {
		uint64_t ns = 0;

		add(&sum, &b->state[i]);
		for (uint32_t k = 0; k < dag->n_kinds; k++)
			ns += i ? b->in_state[k].ns[i] : b->kind[k].work_ns;
		check(ns == charge_sum(&b->state[i]));
		check(i == STATE_RUNNING || b->state[i].work_ns == 0);
	}
	for (int i = 0; i < CALLS; i++)
		add(&calls, &b->call[i]);
	check(same(&sum, &b->total) && same(&calls, &b->state[STATE_RUNTIME]));
}

/* No two holds of a worker are at once, and none is while it runs a strand. */
static inline void check_holds(const struct dag *dag, const struct tracer *tracer)
{
	for (uint64_t i = 0; i < tracer->n; i++) {
		const struct tracer_span *span = &tracer->span[i];

		check(span->from_ns < span->to_ns && span->to_ns <= dag->elapsed_ns);
		for (uint64_t k = 0; k < i; k++)
			check(tracer->span[k].worker != span->worker ||
			      tracer->span[k].from_ns >= span->to_ns ||
			      tracer->span[k].to_ns <= span->from_ns);
		for (strand_id s = 0; s < dag->n_strands; s++)
			check(dag_is_node(dag, s) || dag->strand[s].worker != span->worker ||
			      dag_start(dag, s) >= span->to_ns || dag_end(dag, s) <= span->from_ns);
	}
}

/* Three stretches of two rows that make up the window have in them what the window has. */
static inline void check_parts(const struct dag *dag, const struct ready_path *path,
			       const struct pauses *pauses, const struct breakdown *whole)
{
	uint64_t third_ns = dag->elapsed_ns / 3;
	struct select select = { .n_rows = 2 }, second = { .n_rows = 1 };
	struct charge sum = { 0 };
	struct breakdown b;

	select_add(&select, 0, third_ns, 0);
	select_add(&select, third_ns, 2 * third_ns, 1);
	select_add(&select, 2 * third_ns, dag->elapsed_ns, 0);
	check(select.total_ns == dag->elapsed_ns);
	breakdown_build(&b, dag, path, pauses, &select);
	add(&sum, &b.row[0]);
	add(&sum, &b.row[1]);
	for (int i = 0; i < STATES; i++)
		check(alike(dag, &b.state[i], &whole->state[i]));
	check_states(dag, &b);
	check(same(&b.total, &sum) && alike(dag, &sum, &whole->total));
	for (uint32_t k = 0; k < dag->n_kinds; k++) /* of whose no-work alike() speaks, too */
		check(b.kind[k].work_ns == whole->kind[k].work_ns &&
		      within(b.kind[k].no_work_app_ns, whole->kind[k].no_work_app_ns,
			     2ull * dag->n_collapsed));
	sum = b.row[1];
	breakdown_free(&b);
	select_add(&second, third_ns, 2 * third_ns, 0);
	breakdown_build(&b, dag, path, pauses, &second);
	check_states(dag, &b);
	check(alike(dag, &b.total, &sum) && charge_sum(&b.total) == third_ns * dag->n_workers);
	breakdown_free(&b);
	select_free(&select);
	select_free(&second);
}

/* elapsed x P is all there is, and every table adds up to it; and the span is within its bounds. */
static inline void check_numbers(const struct dag *dag)
{
	struct charge by_kind = { 0 }, by_worker = { 0 };
	struct kind_facts *facts = calloc(dag->n_kinds + 1, sizeof(*facts));
	struct breakdown b;
	struct pauses pauses;
	struct ready_path path;
	uint64_t span_ns, n_tasks = 0, work_ns = 0, longest_ns = 0;

	ready_path_build(&path, dag, RUNTIMES_ALL);
	pauses_find(&pauses, dag);
	if (dag->n_strands < 1000)
		check_holds(dag, &pauses.tracer);
	breakdown_build(&b, dag, &path, &pauses, NULL);
	check_states(dag, &b);
	span_of(dag, NULL, &span_ns);
	kinds_of(dag, NULL, facts);
	for (uint32_t k = 0; k < dag->n_kinds; k++) {
		add(&by_kind, &b.kind[k]);
		n_tasks += facts[k].n_tasks;
	}
	for (uint32_t w = 0; w <= dag->n_slots; w++)
		add(&by_worker, &b.worker[w]);
	for (strand_id s = 0; s < dag->n_strands; s++) {
		const struct collapsed *collapsed = dag_collapsed(dag, s);
		uint64_t least_ns = collapsed ? collapsed->span_ns : dag_length(dag, s);

		work_ns += dag_work(dag, s);
		longest_ns = least_ns > longest_ns ? least_ns : longest_ns;
	}
	check(same(&by_kind, &b.total) && same(&by_worker, &b.total));
	/* of work beside the workers, what found a place of a free one */
	check(b.total.work_ns == work_ns || (dag->n_beside && b.total.work_ns < work_ns));
	check(b.total.work_ns + b.total.delay_ns + b.total.no_work_sched_ns +
		      b.total.no_work_app_ns ==
	      dag->elapsed_ns * dag->n_workers);
	check((unsigned __int128)dag->elapsed_ns * dag->n_workers <= UINT64_MAX);
	check(n_tasks == dag->n_tasks + dag->n_collapsed_tasks);
	check(span_ns <= work_ns && span_ns >= longest_ns && span_ns <= dag->elapsed_ns);
	for (uint32_t i = 1; i < path.n; i++)
		check(dag_end(dag, path.strand[i - 1]) <= dag_start(dag, path.strand[i]));
	check_parts(dag, &path, &pauses, &b);
	pauses_free(&pauses);
	breakdown_free(&b);
	ready_path_free(&path);
	free(facts);
}
