/* SPDX-License-Identifier: MIT */
/* match.c - sorts the items of all runs by name, file and line, and cuts the order into rows. */
#include "tools/diff/match.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/sorted.h"
#include "tools/base/order.h"
#include "tools/base/xalloc.h"

/* An item of one of the runs. */
struct one {
	const struct item *item;
	uint32_t run;
	uint32_t row;	/* while it is made */
	bool is_placed; /* at a line that all runs have */
};

struct all {
	struct one *one; /* in order */
	uint32_t n, n_runs, n_rows;
	uint32_t *count;	/* by run */
	uint64_t *least, *most; /* by row: tasks, or times, of its items */
};

ORDER(in_order, struct one, item_compare(x->item, y->item) ?: BY_LEAST(run))

static bool same_name(const struct item *a, const struct item *b)
{
	return strcmp(a->id, b->id) == 0 && strcmp(a->name, b->name) == 0;
}

static bool same_file(const struct item *a, const struct item *b)
{
	return same_name(a, b) && strcmp(a->where, b->where) == 0;
}

static bool same_line(const struct item *a, const struct item *b)
{
	return item_compare(a, b) == 0;
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

/*
 * Gives the items of runs that have equally many of them rows from 0 on: the k-th of each run is
 * one; if `by_line`, a line that all these runs have is one, and the k-th of the others.
 */
static void pair(struct all *all, uint32_t from, uint32_t to, uint32_t n_runs, bool by_line)
{
	uint32_t n_lines = 0;

	for (uint32_t i = from, end; i < to; i = end) {
		bool is_row;

		end = end_of(all, i, to, same_line);
		is_row = by_line && end - i == n_runs;
		for (uint32_t k = i; k < end; k++) {
			all->one[k].row = n_lines;
			all->one[k].is_placed = is_row;
		}
		n_lines += is_row;
	}
	memset(all->count, 0, all->n_runs * sizeof(*all->count));
	for (uint32_t i = from; i < to; i++)
		if (!all->one[i].is_placed)
			all->one[i].row = n_lines + all->count[all->one[i].run]++;
}

/* How much the tasks, or times, of the items of these rows differ. */
static uint64_t difference(struct all *all, uint32_t from, uint32_t to, uint32_t n_rows)
{
	uint64_t sum = 0;

	for (uint32_t row = 0; row < n_rows; row++) {
		all->least[row] = UINT64_MAX;
		all->most[row] = 0;
	}
	for (uint32_t i = from; i < to; i++) {
		const struct one *one = &all->one[i];
		uint64_t times = one->item->value[VALUE_TASKS] + one->item->value[VALUE_TIMES];

		if (times < all->least[one->row])
			all->least[one->row] = times;
		if (times > all->most[one->row])
			all->most[one->row] = times;
	}
	for (uint32_t row = 0; row < n_rows; row++)
		sum += all->most[row] - all->least[row];
	return sum;
}

/* Rows of the items of one name and file. */
static void cut_file(struct all *all, uint32_t from, uint32_t to)
{
	bool even;
	uint32_t most = most_of_a_run(all, from, to, &even);

	if (even) { /* the counts tell which lines stayed where they are */
		uint32_t n_runs = (to - from) / most;
		uint64_t in_order, by_line;

		pair(all, from, to, n_runs, true);
		by_line = difference(all, from, to, most);
		pair(all, from, to, n_runs, false);
		in_order = difference(all, from, to, most);
		if (by_line < in_order)
			pair(all, from, to, n_runs, true);
		for (uint32_t i = from; i < to; i++)
			all->one[i].row += all->n_rows;
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

static void fill(struct matches *matches, const struct all *all)
{
	*matches = (struct matches){ .n = all->n_rows, .n_runs = all->n_runs };
	matches->item = xcalloc((uint64_t)all->n_rows * all->n_runs + 1, sizeof(*matches->item));
	for (uint32_t i = 0; i < all->n; i++)
		matches->item[(uint64_t)all->one[i].row * all->n_runs + all->one[i].run] =
			all->one[i].item;
}

/* ---- other names at the same lines ---- */

/* An item of a row that not all runs have. */
struct spot {
	const struct item *item;
	uint32_t run, row;
	uint32_t next; /* itself; or a later one, if its row was joined to another */
};

/* In order by place, run and row. */
struct spots {
	struct spot *spot;
	uint32_t n;
};

static int by_place(const struct item *a, const struct item *b)
{
	return strcmp(a->where, b->where) ?: order_least(a->line, b->line) ?: strcmp(a->id, b->id);
}

ORDER(spot_order, struct spot, by_place(x->item, y->item) ?: BY_LEAST(run) ?: BY_LEAST(row))

static const struct item **row_at(const struct matches *matches, uint32_t row)
{
	return &matches->item[(uint64_t)row * matches->n_runs];
}

static bool is_whole(const struct matches *matches, uint32_t row)
{
	for (uint32_t r = 0; r < matches->n_runs; r++)
		if (!row_at(matches, row)[r])
			return false;
	return true;
}

static void find_spots(struct spots *spots, const struct matches *matches)
{
	spots->spot = xmalloc(((uint64_t)matches->n * matches->n_runs + 1) * sizeof(*spots->spot));
	for (uint32_t row = 0; row < matches->n; row++) {
		const struct item **item = row_at(matches, row);

		for (uint32_t r = 0; r < matches->n_runs && !is_whole(matches, row); r++)
			if (item[r] && item[r]->has_line)
				spots->spot[spots->n++] = (struct spot){ item[r], r, row, 0 };
	}
	SORT(spots->spot, spots->n, spot_order);
	for (uint32_t i = 0; i < spots->n; i++)
		spots->spot[i].next = i;
}

/* The first spot that is not before the wanted one; spots->n if there is none. */
static uint32_t first_spot(const struct spots *spots, const struct spot *wanted)
{
	return (uint32_t)SORTED_BEFORE(spots->spot, spots->n, spot_order(it, wanted) < 0);
}

/* The first from i on whose row is there. */
static uint32_t there(struct spots *spots, uint32_t i)
{
	while (i < spots->n && spots->spot[i].next != i) {
		uint32_t next = spots->spot[i].next;

		if (next < spots->n)
			spots->spot[i].next = spots->spot[next].next;
		i = next;
	}
	return i;
}

/* The first row after `after` that has an item where the row has one, in a run that the row lacks;
 * UINT32_MAX if there is none. */
static uint32_t next_row(struct spots *spots, const struct matches *matches, uint32_t row,
			 uint32_t after)
{
	const struct item **item = row_at(matches, row);
	uint32_t least = UINT32_MAX;

	for (uint32_t r = 0; r < matches->n_runs; r++)
		for (uint32_t q = 0; item[r] && item[r]->has_line && q < matches->n_runs; q++) {
			struct spot wanted = { item[r], q, after + 1, 0 };
			uint32_t i = item[q] ? spots->n : there(spots, first_spot(spots, &wanted));

			if (i < spots->n && spots->spot[i].run == q &&
			    by_place(spots->spot[i].item, item[r]) == 0 &&
			    spots->spot[i].row < least)
				least = spots->spot[i].row;
		}
	return least;
}

static bool share_a_run(const struct matches *matches, uint32_t a, uint32_t b)
{
	for (uint32_t r = 0; r < matches->n_runs; r++)
		if (row_at(matches, a)[r] && row_at(matches, b)[r])
			return true;
	return false;
}

static void join(struct matches *matches, struct spots *spots, uint32_t row, uint32_t other)
{
	const struct item **to = row_at(matches, row), **from = row_at(matches, other);

	for (uint32_t r = 0; r < matches->n_runs; r++) {
		struct spot gone = { from[r], r, other, 0 };

		if (!from[r])
			continue;
		if (from[r]->has_line) {
			uint32_t i = first_spot(spots, &gone);

			spots->spot[i].next = i + 1;
		}
		to[r] = from[r];
		from[r] = NULL;
	}
}

/* Rows that have nothing were joined to others. */
static void close_up(struct matches *matches)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < matches->n; row++)
		if (matches_name(matches, row))
			memmove(row_at(matches, n++), row_at(matches, row),
				matches->n_runs * sizeof(*matches->item));
	matches->n = n;
}

/* Rows that no run has both of, where an item of one is at the place of one of the other. */
static void join_renamed(struct matches *matches)
{
	struct spots spots = { 0 };

	find_spots(&spots, matches);
	for (uint32_t row = 0; row < matches->n; row++)
		for (uint32_t other = row; !is_whole(matches, row);) {
			other = next_row(&spots, matches, row, other);
			if (other == UINT32_MAX)
				break;
			if (!share_a_run(matches, row, other))
				join(matches, &spots, row, other);
		}
	close_up(matches);
	free(spots.spot);
}

void matches_build(struct matches *matches, const struct outcome *const *run, uint32_t n_runs,
		   enum list list)
{
	struct all all = { .n_runs = n_runs };
	uint64_t n = 0;

	for (uint32_t r = 0; r < n_runs; r++)
		n += run[r]->list[list].n;
	all.one = xcalloc(n + 1, sizeof(*all.one));
	all.count = xcalloc(n_runs + 1ull, sizeof(*all.count));
	all.least = xcalloc(n + 1, sizeof(*all.least));
	all.most = xcalloc(n + 1, sizeof(*all.most));
	for (uint32_t r = 0; r < n_runs; r++)
		for (uint32_t i = 0; i < run[r]->list[list].n; i++)
			all.one[all.n++] =
				(struct one){ .item = &run[r]->list[list].item[i], .run = r };
	SORT(all.one, all.n, in_order);
	cut(&all);
	fill(matches, &all);
	join_renamed(matches);
	free(all.one);
	free(all.count);
	free(all.least);
	free(all.most);
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
