/* SPDX-License-Identifier: MIT */
/*
 * crossed_test.c - breakdowns of graphs that differ in their kinds, in one sweep, against those in
 * one each.
 */
#include "tools/analysis/crossed.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/goldens.h"
#include "test/unit/trace.h"
#include "tools/analysis/breakdown.h"
#include "tools/base/at_most.h"
#include "tools/dag/alike.h"

static uint32_t n_binned; /* sweeps that took bins along */

static bool opened(struct dag *dag, const char *text, size_t n)
{
	struct reader *reader;
	struct err err;

	if (trace_open(&reader, text, n, &err) < 0)
		return false;
	check(dag_build(dag, reader, &err) == 0);
	reader_close(reader);
	return true;
}

/* The same graph with as many kinds as that: roots, and tasks in turn. */
static struct dag in_turn(const struct dag *dag, uint32_t n_kinds)
{
	struct dag turn = *dag;

	turn.n_kinds = n_kinds;
	turn.task_kind = calloc(dag->n_tasks + 1ull, sizeof(*turn.task_kind));
	turn.kind_runtimes = calloc(n_kinds, sizeof(*turn.kind_runtimes));
	turn.kind_collapsed = calloc(n_kinds, sizeof(struct kind_collapsed *));
	for (task_id t = 0; t < dag->n_tasks; t++)
		if (dag->task_kind[t] != KIND_OF_ROOTS)
			turn.task_kind[t] = 1 + t % (n_kinds - 1);
	return turn;
}

static void turn_free(struct dag *turn)
{
	free(turn->task_kind);
	free(turn->kind_runtimes);
	free(turn->kind_collapsed);
}

/* As many kinds as the trace has sites, and those of the same runtimes and sort as one. */
static void join_kinds(struct dag *joined, const struct dag *dag, struct dag *apart)
{
	kind_id *code = malloc((dag->n_kinds + 1ull) * sizeof(*code));

	*joined = *dag;
	for (kind_id k = 0; k < dag->n_kinds; k++) {
		code[k] = k > 0;
		while (code[k] < k && (dag->kind_what[code[k]] != dag->kind_what[k] ||
				       dag->kind_runtimes[code[k]] != dag->kind_runtimes[k]))
			code[k]++;
	}
	check(alike_join(joined, code, apart) == 0);
	free(code);
}

#define same(a, b, n) (memcmp(a, b, (n) * sizeof(*(a))) == 0)

static void check_same(const struct breakdown *a, const struct breakdown *b, const struct dag *dag,
		       const struct select *select)
{
	check(same(&a->total, &b->total, 1));
	check(same(a->state, b->state, STATES));
	check(same(a->call, b->call, CALLS));
	check(a->path_work_ns == b->path_work_ns);
	check(a->path_scheduler_delay_ns == b->path_scheduler_delay_ns);
	check(a->path_busy_delay_ns == b->path_busy_delay_ns);
	check(same(a->delay_by_edge_ns, b->delay_by_edge_ns, EDGE_KINDS));
	check(same(a->kind, b->kind, dag->n_kinds));
	check(same(a->in_state, b->in_state, dag->n_kinds));
	check(same(a->worker, b->worker, dag->n_slots + 1ull));
	check(!select == !a->row && !select == !b->row);
	if (select)
		check(same(a->row, b->row, select->n_rows));
	check(same(a->n_moves, b->n_moves, MOVES));
	check(same(a->course.cell, b->course.cell, COURSE_CELLS));
}

/* Components over time are those of a sweep that is asked for each bin. */
static void check_bins(const struct charge_bins *bins, const struct dag *dag,
		       const struct ready_path *path, const struct pauses *pauses)
{
	struct select cut = { .n_rows = bins->n };
	struct breakdown of = { 0 };

	if (!bins->bin)
		return;
	n_binned++;
	for (uint32_t i = 0; i < bins->n && i * bins->width_ns < dag->elapsed_ns; i++)
		check(select_add(&cut, i * bins->width_ns,
				 at_most((i + 1) * bins->width_ns, dag->elapsed_ns), i) == 0);
	check(breakdown_build(&of, dag, path, pauses, &cut) == 0);
	check(same(bins->bin, of.row, bins->n));
	breakdown_free(&of);
	select_free(&cut);
}

/* Each of n graphs alone, and 1 to n of them at once. */
static void check_graphs(const struct dag *const *dag, uint32_t n, const struct select *select)
{
	struct breakdown alone[CROSSED_MOST], all[CROSSED_MOST];
	struct breakdown_of of[CROSSED_MOST];
	struct ready_path path;
	struct pauses pauses;

	check(ready_path_build(&path, dag[0], RUNTIMES_ALL) == 0);
	check(pauses_find(&pauses, dag[0]) == 0);
	for (uint32_t i = 0; i < n; i++) {
		struct pauses own;

		check(pauses_find(&own, dag[i]) == 0);
		check(breakdown_build(&alone[i], dag[i], &path, &own, select) == 0);
		pauses_free(&own);
		of[i] = (struct breakdown_of){ dag[i], &all[i] };
	}
	for (uint32_t first = 0; first < n; first++) {
		struct charge_bins bins;

		check(charge_bins_open(&bins, dag[0]->elapsed_ns,
				       1 + (uint32_t)dag[0]->n_strands) == 0);
		check(breakdown_build_all(of + first, n - first, &path, &pauses, select, &bins) ==
		      0);
		check_bins(&bins, dag[0], &path, &pauses);
		charge_bins_free(&bins);
		for (uint32_t i = first; i < n; i++) {
			check_same(&all[i], &alone[i], dag[i], select);
			breakdown_free(&all[i]);
		}
	}
	for (uint32_t i = 0; i < n; i++)
		breakdown_free(&alone[i]);
	pauses_free(&pauses);
	ready_path_free(&path);
}

/* Kinds of the crossed graph are those of the others. */
static void check_kinds(const struct dag *const *dag, uint32_t n)
{
	struct crossed crossed;

	check(crossed_build(&crossed, dag, n) == 0);
	for (task_id t = 0; t < dag[0]->n_tasks; t++)
		for (uint32_t i = 0; i < n; i++)
			check(crossed.kind_of[i][crossed.dag.task_kind[t]] == dag[i]->task_kind[t]);
	for (uint32_t i = 0; i < n; i++)
		check(crossed.kind_of[i][KIND_OF_ROOTS] == KIND_OF_ROOTS);
	crossed_free(&crossed);
}

static void check_trace(const char *text, size_t n_bytes)
{
	struct select two = { .n_rows = 2, .part = true };
	struct dag dag, joined, apart, turn;
	const struct dag *all[CROSSED_MOST] = { &joined, &apart, &turn };

	if (!opened(&dag, text, n_bytes))
		return;
	join_kinds(&joined, &dag, &apart);
	turn = in_turn(&joined, 4);
	check_kinds(all, CROSSED_MOST);
	check(select_add(&two, dag.elapsed_ns / 5, dag.elapsed_ns / 3, 1) == 0);
	check(select_add(&two, dag.elapsed_ns / 2, dag.elapsed_ns - 1, 0) == 0);
	/* of collapsed tasks no kind in turn knows what it has */
	check_graphs(all, dag.n_collapsed ? 2 : 3, NULL);
	check_graphs(all, dag.n_collapsed ? 2 : 3, &two);
	select_free(&two);
	turn_free(&turn);
	alike_free(&apart);
	dag_free(&joined);
}

TEST(test_goldens)
{
	goldens_each(GOLDENS, check_trace);
	assert_true(n_binned > 0);
}
