/* SPDX-License-Identifier: MIT */
/* stretch.c - walks over two runs' tasks in the order of their lineage. */
#include "tools/diff/stretch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rows of the kinds of a run; NULL if out of memory. */
static uint32_t *rows_of(const struct side *side, const struct matches *kinds, uint32_t run)
{
	const struct items *items = &side_outcome(side)->list[LIST_KINDS];
	uint32_t *row = calloc(items->n + 1ull, sizeof(*row));

	for (uint32_t i = 0; row && i < kinds->n; i++) {
		const struct item *item = kinds->item[(uint64_t)i * kinds->n_runs + run];

		if (item)
			row[item - items->item] = i;
	}
	return row;
}

static uint64_t difference(const struct side *a, const struct side *b,
			   const struct stretch_task *at)
{
	uint64_t x = a->lineage.task[at->a].work_ns, y = b->lineage.task[at->b].work_ns;

	return x > y ? x - y : y - x;
}

static void keep_most(struct stretch *stretch, const struct side *a, const struct side *b,
		      const struct stretch_task *task)
{
	uint64_t ns = difference(a, b, task);
	uint32_t at = stretch->n_most;

	if (ns == 0 || (at == STRETCH_TASKS && ns <= difference(a, b, &stretch->most[at - 1])))
		return;
	if (at < STRETCH_TASKS)
		stretch->n_most++;
	else
		at--;
	for (; at > 0 && difference(a, b, &stretch->most[at - 1]) < ns; at--)
		stretch->most[at] = stretch->most[at - 1];
	stretch->most[at] = *task;
}

static void add(struct stretch_sum *sum, uint64_t a_ns, uint64_t b_ns)
{
	sum->n++;
	sum->a_ns += a_ns;
	sum->b_ns += b_ns;
}

static void add_to(struct stretch_row *row, const struct lineage_task *a,
		   const struct lineage_task *b)
{
	add(&row->all, a->work_ns, b->work_ns);
	add(b->flags & LINEAGE_STOLEN ? &row->stolen : &row->local, a->work_ns, b->work_ns);
}

struct walk {
	const struct side *a, *b;
	uint32_t *a_row, *b_row;
};

static void add_task(struct stretch *stretch, const struct walk *walk, uint32_t a, uint32_t b)
{
	const struct lineage_task *x = &walk->a->lineage.task[a], *y = &walk->b->lineage.task[b];
	uint32_t row = walk->a_row[side_outcome(walk->a)->item_of_kind[x->kind]];
	struct stretch_task task = { a, b, row };

	if (row != walk->b_row[side_outcome(walk->b)->item_of_kind[y->kind]]) {
		stretch->n_other++;
		return;
	}
	add_to(&stretch->sum, x, y);
	add_to(&stretch->row[row], x, y);
	keep_most(stretch, walk->a, walk->b, &task);
}

static void match(struct stretch *stretch, const struct walk *walk)
{
	const struct lineage *a = &walk->a->lineage, *b = &walk->b->lineage;

	for (uint32_t i = 0, j = 0; i < a->n_ordered && j < b->n_ordered;) {
		uint64_t x = a->task[a->order[i]].key, y = b->task[b->order[j]].key;

		if (x == y)
			add_task(stretch, walk, a->order[i], b->order[j]);
		i += x <= y;
		j += y <= x;
	}
}

int stretch_build(struct stretch *stretch, const struct side *a, const struct side *b,
		  const struct matches *kinds, uint32_t a_run, uint32_t b_run)
{
	struct walk walk = { a, b, rows_of(a, kinds, a_run), rows_of(b, kinds, b_run) };
	int error = -ENOMEM;

	*stretch = (struct stretch){ .row = calloc(kinds->n + 1ull, sizeof(*stretch->row)) };
	if (!stretch->row || !walk.a_row || !walk.b_row)
		goto out;
	match(stretch, &walk);
	error = 0;
out:
	free(walk.a_row);
	free(walk.b_row);
	return error;
}

void stretch_free(struct stretch *stretch)
{
	free(stretch->row);
	*stretch = (struct stretch){ 0 };
}
