/* SPDX-License-Identifier: MIT */
/* match.c - sorts the items of all runs by name, file and line, and cuts the order into rows. */
#include "tools/diff/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"

/* An item of one of the runs. */
struct one {
	const struct item *item;
	uint32_t run;
	uint32_t row; /* while it is made */
};

struct all {
	struct one *one; /* in order */
	uint32_t n, n_runs, n_rows;
	uint32_t *count; /* by run */
};

static int in_order(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	return item_compare(x->item, y->item) ?: order_least(x->run, y->run);
}

static bool same_name(const struct item *a, const struct item *b)
{
	return strcmp(a->id, b->id) == 0 && strcmp(a->name, b->name) == 0;
}

static bool same_file(const struct item *a, const struct item *b)
{
	return same_name(a, b) && strcmp(a->where, b->where) == 0;
}

/* Where the items that are alike from `from` on end. */
static uint32_t end_of(const struct all *all, uint32_t from, uint32_t n,
		       bool (*alike)(const struct item *, const struct item *))
{
	uint32_t to = from + 1;

	while (to < n && alike(all->one[from].item, all->one[to].item))
		to++;
	return to;
}

/* Counts the items of each run; the most that one has, and whether all that have any have so many.
 */
static uint32_t most_of_a_run(const struct all *all, uint32_t from, uint32_t to, bool *even)
{
	uint32_t most = 0;

	memset(all->count, 0, all->n_runs * sizeof(*all->count));
	for (uint32_t i = from; i < to; i++)
		if (++all->count[all->one[i].run] > most)
			most = all->count[all->one[i].run];
	*even = true;
	for (uint32_t r = 0; r < all->n_runs; r++)
		*even &= all->count[r] == 0 || all->count[r] == most;
	return most;
}

/* Rows of the items of one name and file. */
static void cut_file(struct all *all, uint32_t from, uint32_t to)
{
	bool even;
	uint32_t most = most_of_a_run(all, from, to, &even);

	if (even) { /* the k-th of each run is one row */
		memset(all->count, 0, all->n_runs * sizeof(*all->count));
		for (uint32_t i = from; i < to; i++)
			all->one[i].row = all->n_rows + all->count[all->one[i].run]++;
		all->n_rows += most;
		return;
	}
	for (uint32_t i = from; i < to; i++) {
		if (i > from && item_compare(all->one[i - 1].item, all->one[i].item) != 0)
			all->n_rows++;
		all->one[i].row = all->n_rows;
	}
	all->n_rows++;
}

static void cut(struct all *all)
{
	for (uint32_t from = 0, to; from < all->n; from = to) {
		bool even;

		to = end_of(all, from, all->n, same_name);
		if (most_of_a_run(all, from, to, &even) == 1) { /* wherever they are */
			for (uint32_t i = from; i < to; i++)
				all->one[i].row = all->n_rows;
			all->n_rows++;
			continue;
		}
		for (uint32_t file = from, end; file < to; file = end) {
			end = end_of(all, file, to, same_file);
			cut_file(all, file, end);
		}
	}
}

static bool fill(struct matches *matches, const struct all *all)
{
	*matches = (struct matches){ .n = all->n_rows, .n_runs = all->n_runs };
	matches->item = calloc((uint64_t)all->n_rows * all->n_runs + 1, sizeof(*matches->item));
	for (uint32_t i = 0; matches->item && i < all->n; i++)
		matches->item[(uint64_t)all->one[i].row * all->n_runs + all->one[i].run] =
			all->one[i].item;
	return matches->item != NULL;
}

/* ---- other names at the same lines ---- */

/* Whether no run has both, and an item of one is at the place of one of the other. */
static bool renamed(const struct matches *matches, uint32_t a, uint32_t b)
{
	const struct item *const *x = &matches->item[(uint64_t)a * matches->n_runs];
	const struct item *const *y = &matches->item[(uint64_t)b * matches->n_runs];
	bool there = false;

	for (uint32_t r = 0; r < matches->n_runs; r++)
		if (x[r] && y[r])
			return false;
	for (uint32_t r = 0; r < matches->n_runs; r++)
		for (uint32_t q = 0; x[r] && q < matches->n_runs; q++)
			there |= y[q] && x[r]->has_line && y[q]->has_line &&
				 x[r]->line == y[q]->line &&
				 strcmp(x[r]->where, y[q]->where) == 0 &&
				 strcmp(x[r]->id, y[q]->id) == 0;
	return there;
}

static bool is_whole(const struct matches *matches, uint32_t row)
{
	for (uint32_t r = 0; r < matches->n_runs; r++)
		if (!matches->item[(uint64_t)row * matches->n_runs + r])
			return false;
	return true;
}

static void join(struct matches *matches, uint32_t row, uint32_t other)
{
	uint64_t n = matches->n_runs;

	for (uint32_t r = 0; r < n; r++)
		if (matches->item[other * n + r])
			matches->item[row * n + r] = matches->item[other * n + r];
	matches->n--;
	memmove(&matches->item[other * n], &matches->item[(other + 1) * n],
		(matches->n - other) * n * sizeof(*matches->item));
}

static void join_renamed(struct matches *matches)
{
	for (uint32_t a = 0; a < matches->n; a++)
		for (uint32_t b = a + 1; b < matches->n && !is_whole(matches, a);)
			if (renamed(matches, a, b))
				join(matches, a, b);
			else
				b++;
}

int matches_build(struct matches *matches, const struct outcome *const *run, uint32_t n_runs,
		  enum list list)
{
	struct all all = { .n_runs = n_runs };
	uint64_t n = 0;
	int error = -ENOMEM;

	for (uint32_t r = 0; r < n_runs; r++)
		n += run[r]->list[list].n;
	all.one = calloc(n + 1, sizeof(*all.one));
	all.count = calloc(n_runs + 1ull, sizeof(*all.count));
	if (!all.one || !all.count)
		goto out;
	for (uint32_t r = 0; r < n_runs; r++)
		for (uint32_t i = 0; i < run[r]->list[list].n; i++)
			all.one[all.n++] = (struct one){ &run[r]->list[list].item[i], r, 0 };
	qsort(all.one, all.n, sizeof(*all.one), in_order);
	cut(&all);
	if (!fill(matches, &all))
		goto out;
	join_renamed(matches);
	error = 0;
out:
	free(all.one);
	free(all.count);
	return error;
}

void matches_free(struct matches *matches)
{
	free(matches->item);
	*matches = (struct matches){ 0 };
}

uint64_t matches_value(const struct matches *matches, uint32_t row, uint32_t run, enum value value)
{
	const struct item *item = matches->item[(uint64_t)row * matches->n_runs + run];

	return item ? item->value[value] : 0;
}

const struct item *matches_name(const struct matches *matches, uint32_t row)
{
	uint32_t r = matches->n_runs;

	while (r > 0 && !matches->item[(uint64_t)row * matches->n_runs + r - 1])
		r--;
	return r ? matches->item[(uint64_t)row * matches->n_runs + r - 1] : NULL;
}

uint32_t matches_find(const struct matches *matches, uint32_t run, const struct item *item)
{
	uint32_t row = 0;

	while (row < matches->n && matches->item[(uint64_t)row * matches->n_runs + run] != item)
		row++;
	return row < matches->n ? row : UINT32_MAX;
}
