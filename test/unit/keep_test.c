/* SPDX-License-Identifier: MIT */
/*
 * keep_test.c - whatever a page has room for, what it leaves out of a golden trace are whole
 * subtrees, each below a strand that it keeps (tools/view/keep.h).
 */
#include "tools/view/keep.h"

#include "test/unit/goldens.h"

static uint32_t n_left, n_unowned; /* strands of all traces, over all pages */

/* What has it in the tree: its task's first strand, or, of that, who created the task. */
static strand_id parent_of(const struct dag *dag, const struct lives *lives, strand_id s)
{
	strand_id first = lives->first[dag->strand[s].task];
	strand_id parent = s == first ? dag->strand[s].pred : first;

	return parent == STRAND_NONE || dag_is_node(dag, parent) ? STRAND_NONE : parent;
}

static bool is_kept(const struct keep *keep, strand_id s)
{
	return keep_number(keep, s) != STRAND_NONE;
}

/* The owner is the last that is kept of the strands before it in its task, of those of its creator
 * before the creation, .. */
static void check_owner(const struct keep *keep, const struct dag *dag, const struct lives *lives,
			strand_id s)
{
	strand_id up = s;

	n_left++;
	while (up != STRAND_NONE && !is_kept(keep, up)) {
		strand_id pred = dag->strand[up].pred;

		up = pred == STRAND_NONE || dag_is_node(dag, pred) ? parent_of(dag, lives, up)
								   : pred;
	}
	n_unowned += up == STRAND_NONE;
	check(up == STRAND_NONE ? keep_owner(keep, s) == keep->n
				: keep_owner(keep, s) == keep_number(keep, up));
}

static void check_kept(const struct keep *keep, const struct dag *dag, const struct lives *lives,
		       uint64_t most)
{
	uint32_t n = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		strand_id parent;

		if (is_kept(keep, s))
			check(keep_number(keep, s) == n++);
		if (dag_is_node(dag, s))
			continue;
		parent = parent_of(dag, lives, s);
		check(!is_kept(keep, s) || parent == STRAND_NONE || is_kept(keep, parent));
		check(!is_kept(keep, s) || keep_task(keep, dag->strand[s].task) != TASK_NONE);
		if (!is_kept(keep, s))
			check_owner(keep, dag, lives, s);
	}
	check(keep->n == n && n >= most);
}

/* Pages of that many strands, and of all in the middle third of the run besides. */
static void check_room(const struct dag *dag, const struct lives *lives, uint32_t n_rows,
		       uint64_t most)
{
	struct findings none = { 0 };
	struct ready_path path = { 0 };
	struct keep keep, window;

	ready_path_build(&path, dag, RUNTIMES_ALL);
	keep_choose(&keep, &(struct keep_wanted){ .dag = dag,
						  .path = &path,
						  .findings = &none,
						  .lives = lives,
						  .n_rows = n_rows,
						  .most = most });
	check(keep.n == most);
	check_kept(&keep, dag, lives, most);
	keep_window(&window, &keep, dag, lives, n_rows, dag->elapsed_ns / 3,
		    dag->elapsed_ns * 2 / 3);
	check_kept(&window, dag, lives, most);
	keep_free(&window);
	keep_free(&keep);
	ready_path_free(&path);
}

static void check_golden(const char *text, size_t n)
{
	struct lives lives = { 0 };
	struct reader *reader;
	struct dag dag;
	struct err err;
	uint32_t *row;

	assert_int_equal(trace_open(&reader, text, n, &err), 0);
	assert_int_equal(dag_build(&dag, reader, &err), 0);
	row = calloc(dag.n_slots + 1ull, sizeof(*row));
	for (uint32_t w = 0; w < dag.n_slots; w++)
		row[w] = w;
	lives_build(&lives, &dag, row, dag.n_slots);
	for (uint64_t most = 1; most < dag.n_strands; most += 1 + most / 2)
		check_room(&dag, &lives, dag.n_slots, most);
	lives_free(&lives);
	free(row);
	dag_free(&dag);
	reader_close(reader);
}

TEST(test_leaves_out_whole_subtrees)
{
	goldens_each(GOLDENS, check_golden);
	assert_true(n_left > n_unowned && n_unowned > 0);
}
