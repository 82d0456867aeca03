/* SPDX-License-Identifier: MIT */
/* left.c - adds up the strands that are left out, and writes what has any. */
#include "tools/view/left.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/base/xalloc.h"
#include "tools/view/section.h"
#include "tools/view/columns.h"

/* Below a strand. */
struct below {
	uint64_t n_tasks, work_ns, start_ns, end_ns;
	uint32_t n_strands;
};

/* Of a task. */
struct missing {
	uint64_t work_ns, end_ns, kept_end_ns; /* of the last strand, and of the last on the page */
	uint32_t n_strands, n_children;
	uint64_t ready_before_ns; /* 0: its releaser is on the page */
};

struct left {
	uint32_t *of;	     /* by strand of the page, and one more: its number; 0: none */
	struct below *below; /* n, from 1 on */
	uint64_t room;
	uint32_t n;
	struct missing *missing; /* by task of the page */
};

enum column { AT, TASKS, STRANDS, START, LENGTH, WORK, TASK, LIFE, COLUMNS };
static const char *const column_name[COLUMNS] = { "left",	"left_tasks",  "left_strands",
						  "left_start", "left_length", "left_work",
						  "task_left",	"task_life" };

/* ---- sums ---- */

static void add_below(struct below *below, const struct dag *dag, strand_id s, bool begins)
{
	const struct collapsed *collapsed = dag_collapsed(dag, s);

	below->n_tasks += begins;
	below->n_tasks += collapsed ? collapsed->n_tasks : 0;
	below->work_ns += dag_work(dag, s);
	if (below->n_strands++ == 0)
		below->start_ns = dag_start(dag, s);
	if (below->end_ns < dag_end(dag, s))
		below->end_ns = dag_end(dag, s);
}

static struct below *below_of(struct left *left, uint32_t owner)
{
	uint32_t *number = &left->of[owner];

	if (!*number) {
		array_grow(&left->below, &left->room, left->n + 2ull, sizeof(*left->below));
		*number = ++left->n;
		left->below[*number] = (struct below){ 0 };
	}
	return &left->below[*number];
}

static void add_missing(struct left *left, const struct view_run *run, strand_id s, bool begins)
{
	const struct dag *dag = run->dag;
	task_id own = keep_task(&run->keep, dag->strand[s].task), parent;

	if (own != TASK_NONE) {
		left->missing[own].n_strands++;
		left->missing[own].work_ns += dag_work(dag, s);
		left->missing[own].end_ns = dag_end(dag, s);
	}
	if (!begins)
		return;
	parent = lives_parent(&run->lives, dag, dag->strand[s].task);
	parent = keep_task(&run->keep, parent);
	if (parent != TASK_NONE)
		left->missing[parent].n_children++;
}

/* Of a strand on the page. */
static void note_kept(struct left *left, const struct view_run *run, strand_id s, bool begins,
		      uint32_t *hint)
{
	task_id task = keep_task(&run->keep, run->dag->strand[s].task);
	strand_id by;

	left->missing[task].kept_end_ns = dag_end(run->dag, s);
	if (!begins)
		return;
	by = ready_path_released_by(run->dag, s, hint);
	if (by != STRAND_NONE && keep_number(&run->keep, by) == STRAND_NONE)
		left->missing[task].ready_before_ns =
			dag_start(run->dag, s) - dag_end(run->dag, by) + 1;
}

static void add_all(struct left *left, const struct view_run *run)
{
	const struct dag *dag = run->dag;
	uint32_t hint = 0;

	for (strand_id s = 0; s < dag->n_strands; s++) {
		struct below *below;
		bool begins;

		if (dag_is_node(dag, s))
			continue;
		begins = run->lives.first[dag->strand[s].task] == s;
		if (keep_number(&run->keep, s) != STRAND_NONE) {
			note_kept(left, run, s, begins, &hint);
			continue;
		}
		below = below_of(left, keep_owner(&run->keep, s));
		add_below(below, dag, s, begins);
		add_missing(left, run, s, begins);
	}
}

/* ---- columns ---- */

static void put_below(struct section *column, const struct below *below, uint64_t owner_end_ns)
{
	uint64_t length_ns = below->end_ns - below->start_ns;

	section_number(&column[TASKS], below->n_tasks);
	section_number(&column[STRANDS], below->n_strands);
	section_signed(&column[START], (int64_t)(below->start_ns - owner_end_ns));
	section_number(&column[LENGTH], length_ns);
	section_signed(&column[WORK], (int64_t)(length_ns - below->work_ns));
}

static void put_all_below(struct section *column, const struct left *left,
			  const struct view_run *run)
{
	const struct keep *keep = &run->keep;
	uint32_t last = 0;
	strand_id s = 0;

	for (uint32_t i = 0; i <= keep->n; i++) {
		while (s < run->dag->n_strands && keep_number(keep, s) != i)
			s++;
		if (!left->of[i])
			continue;
		section_number(&column[AT], i - last);
		last = i;
		put_below(column, &left->below[left->of[i]],
			  i < keep->n ? dag_end(run->dag, s) : 0);
	}
}

static void put_missing(struct section *column, const struct missing *missing)
{
	bool has_life = missing->n_strands || missing->ready_before_ns;
	bool ends_later = missing->end_ns > missing->kept_end_ns;

	section_number(&column[TASK], 2ull * missing->n_children + has_life);
	if (!has_life)
		return;
	section_number(&column[LIFE], missing->n_strands);
	section_number(&column[LIFE], ends_later ? missing->end_ns - missing->kept_end_ns : 0);
	section_number(&column[LIFE], missing->work_ns);
	section_number(&column[LIFE], missing->ready_before_ns);
}

void left_put(FILE *out, const struct view_run *run)
{
	const struct keep *keep = &run->keep;
	struct section column[COLUMNS] = { 0 };
	struct left left = { 0 };

	if (keep->number) {
		left.of = xcalloc(keep->n + 1ull, sizeof(*left.of));
		left.missing = xcalloc(keep->n_tasks + 1ull, sizeof(*left.missing));
		add_all(&left, run);
		put_all_below(column, &left, run);
		for (uint32_t t = 0; t < keep->n_tasks; t++)
			put_missing(column, &left.missing[t]);
	}
	free(left.of);
	free(left.below);
	free(left.missing);
	sections_pack(column, COLUMNS);
	for (int c = 0; c < COLUMNS; c++)
		section_put(out, &column[c], column_name[c]);
}
