/* SPDX-License-Identifier: MIT */
/* lock_rows.c - sums by row, and the rows of a place that are told apart. */
#include "tools/analysis/lock_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/table.h"

/* ---- gathering ---- */

uint32_t lock_rows_find(struct lock_rows *rows, uint32_t object, uint16_t wait)
{
	uint64_t *number = table_put(&rows->by_key, (uint64_t)object << 16 | wait);

	if (!number)
		return UINT32_MAX;
	if (!*number) {
		if (!array_grow(&rows->row, &rows->row_room, rows->n_rows + 1, sizeof(*rows->row)))
			return UINT32_MAX;
		rows->row[rows->n_rows++] = (struct lock_row){ .object = object, .wait = wait };
		*number = rows->n_rows;
	}
	return (uint32_t)(*number - 1);
}

static int add_pair(struct lock_rows *rows, const struct lock_pair *pair)
{
	uint64_t *number =
		table_put(&rows->by_pair[pair->held], (uint64_t)pair->of << 32 | pair->kind);

	if (!number)
		return -ENOMEM;
	if (!*number) {
		if (!array_grow(&rows->pair, &rows->pair_room, rows->n_pairs + 1,
				sizeof(*rows->pair)))
			return -ENOMEM;
		rows->pair[rows->n_pairs++] = *pair;
		*number = rows->n_pairs;
		return 0;
	}
	rows->pair[*number - 1].n += pair->n;
	rows->pair[*number - 1].ns += pair->ns;
	return 0;
}

int lock_rows_enter(struct lock_rows *rows, uint32_t row, kind_id kind, bool waited, uint64_t ns)
{
	struct lock_pair pair = { .of = row, .kind = kind, .n = 1, .ns = ns };

	rows->row[row].n_entries++;
	if (!waited)
		return 0;
	if (!array_grow(&rows->waited, &rows->waited_room, rows->n_waited + 1,
			sizeof(*rows->waited)))
		return -ENOMEM;
	rows->waited[rows->n_waited++] = (struct lock_entry){ row, ns };
	rows->row[row].n_waits++;
	rows->row[row].wait_ns += ns;
	return add_pair(rows, &pair);
}

int lock_rows_hold(struct lock_rows *rows, uint32_t object, kind_id kind, uint64_t ns)
{
	struct lock_pair pair = { .of = object, .kind = kind, .held = true, .ns = ns };

	return add_pair(rows, &pair);
}

void lock_rows_held(struct lock_rows *rows, uint32_t row, uint64_t ns)
{
	rows->row[row].held_ns += ns;
	if (ns > rows->row[row].held_max_ns)
		rows->row[row].held_max_ns = ns;
}

int lock_rows_object(struct lock_rows *rows, uint64_t name, uint64_t busy_ns, bool held_known)
{
	if (!array_grow(&rows->object, &rows->object_room, rows->n_objects + 1,
			sizeof(*rows->object)))
		return -ENOMEM;
	rows->object[rows->n_objects++] = (struct lock_object){ name, busy_ns, held_known };
	return 0;
}

/* ---- rows of locks ---- */

struct making {
	struct lock_rows *rows;
	struct locks *locks;
	uint32_t *lock_of; /* by row */
	uint32_t *first;   /* n_objects: a row of it, .. */
	uint32_t *next;	   /* .. and by row the next; UINT32_MAX */
};

/* By place, and there the one that was waited for most. */
static int by_place(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;

	return order_least(x->wait, y->wait) ?: order_most(x->wait_ns, y->wait_ns) ?:
	       order_least(x->object, y->object);
}

/* The row becomes a lock of its own, or a further object of the last. */
static void place_row(struct making *making, const struct dag *dag, const struct lock_row *row,
		      uint32_t nth)
{
	struct locks *locks = making->locks;
	const struct lock_object *object = &making->rows->object[row->object];
	const struct dag_wait *wait = &dag->wait[row->wait];
	struct lock *lock;

	if (nth < LOCK_OBJECTS)
		locks->lock[locks->n++] = (struct lock){ .site = wait->site,
							 .what = wait->what,
							 .object = object->name,
							 .held_known = true };
	lock = &locks->lock[locks->n - 1];
	if (lock->n_objects++)
		lock->object = 0;
	lock->n_entries += row->n_entries;
	lock->n_waits += row->n_waits;
	lock->wait_ns += row->wait_ns;
	lock->busy_ns += object->busy_ns;
	lock->held_known &= object->held_known;
	lock->held_ns += row->held_ns;
	if (row->held_max_ns > lock->held_max_ns)
		lock->held_max_ns = row->held_max_ns;
}

/* Keeps the most ns first. */
static void add_kind(struct lock_kind kind[LOCK_KINDS], uint32_t *n, const struct lock_pair *pair)
{
	struct lock_kind new = { pair->kind, pair->held ? 0 : pair->n, pair->ns };
	uint32_t at = *n < LOCK_KINDS ? *n : LOCK_KINDS;

	(*n)++;
	for (; at > 0 && (new.ns > kind[at - 1].ns ||
			  (new.ns == kind[at - 1].ns &&new.kind < kind[at - 1].kind));
	     at--)
		if (at < LOCK_KINDS)
			kind[at] = kind[at - 1];
	if (at < LOCK_KINDS)
		kind[at] = new;
}

/* Sums the pairs by lock, in a set of rows of their own, and gives them to the locks. */
static int place_kinds(struct making *making)
{
	struct lock_rows *rows = making->rows, sums = { 0 };
	struct locks *locks = making->locks;
	int error = 0;

	for (uint64_t i = 0; i < rows->n_pairs && !error; i++) {
		struct lock_pair pair = rows->pair[i];
		uint32_t row = pair.held ? making->first[pair.of] : pair.of;

		for (; row != UINT32_MAX && !error; row = making->next[row]) {
			pair.of = making->lock_of[row];
			error = add_pair(&sums, &pair);
			if (!pair.held)
				break;
		}
	}
	for (uint64_t i = 0; i < sums.n_pairs && !error; i++) {
		struct lock *lock = &locks->lock[sums.pair[i].of];

		if (sums.pair[i].held)
			add_kind(lock->holder, &lock->n_holders, &sums.pair[i]);
		else
			add_kind(lock->waiter, &lock->n_waiters, &sums.pair[i]);
	}
	lock_rows_free(&sums);
	return error;
}

static int by_length(const void *a, const void *b)
{
	const struct lock_entry *x = a, *y = b;

	return order_least(x->row, y->row) ?: order_least(x->ns, y->ns);
}

static void place_waits(struct making *making)
{
	struct lock_rows *rows = making->rows;
	uint64_t first = 0;

	for (uint64_t i = 0; i < rows->n_waited; i++)
		rows->waited[i].row = making->lock_of[rows->waited[i].row];
	if (rows->n_waited)
		qsort(rows->waited, rows->n_waited, sizeof(*rows->waited), by_length);
	for (uint32_t i = 0; i < making->locks->n; i++) {
		struct lock *lock = &making->locks->lock[i];

		if (lock->n_waits == 0)
			continue;
		lock->median_ns = rows->waited[first + (lock->n_waits - 1) / 2].ns;
		lock->max_ns = rows->waited[first + lock->n_waits - 1].ns;
		first += lock->n_waits;
	}
}

/* In what order rows were met does not matter from here on. */
static int place_rows(struct making *making, const struct dag *dag)
{
	struct lock_rows *rows = making->rows;
	struct lock_row *sorted = malloc((rows->n_rows + 1) * sizeof(*sorted));
	uint32_t nth = 0;

	if (!sorted)
		return -ENOMEM;
	if (rows->n_rows)
		memcpy(sorted, rows->row, rows->n_rows * sizeof(*sorted));
	qsort(sorted, rows->n_rows, sizeof(*sorted), by_place);
	for (uint64_t i = 0; i < rows->n_rows; i++) {
		uint32_t row = lock_rows_find(rows, sorted[i].object, sorted[i].wait);

		if (i && sorted[i].wait != sorted[i - 1].wait)
			nth = 0;
		if (sorted[i].n_entries == 0)
			continue;
		place_row(making, dag, &sorted[i], nth++);
		making->lock_of[row] = making->locks->n - 1;
		making->next[row] = making->first[sorted[i].object];
		making->first[sorted[i].object] = row;
	}
	free(sorted);
	return 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct lock *x = a, *y = b;

	return order_most(x->wait_ns, y->wait_ns) ?: order_least(x->site, y->site) ?:
	       order_least(x->object, y->object);
}

int lock_rows_build(struct lock_rows *rows, const struct dag *dag, struct locks *locks)
{
	struct making making = { .rows = rows, .locks = locks };
	int error = -ENOMEM;

	locks->lock = calloc(rows->n_rows + 1, sizeof(*locks->lock));
	making.lock_of = malloc((rows->n_rows + 1) * sizeof(*making.lock_of));
	making.next = malloc((rows->n_rows + 1) * sizeof(*making.next));
	making.first = malloc((rows->n_objects + 1) * sizeof(*making.first));
	if (!locks->lock || !making.lock_of || !making.next || !making.first)
		goto out;
	memset(making.first, 0xff, (rows->n_objects + 1) * sizeof(*making.first));
	error = place_rows(&making, dag);
	if (!error)
		error = place_kinds(&making);
	if (error)
		goto out;
	place_waits(&making);
	qsort(locks->lock, locks->n, sizeof(*locks->lock), longest_first);
out:
	free(making.lock_of);
	free(making.next);
	free(making.first);
	return error;
}

void lock_rows_free(struct lock_rows *rows)
{
	free(rows->row);
	table_free(&rows->by_key);
	free(rows->waited);
	free(rows->pair);
	table_free(&rows->by_pair[0]);
	table_free(&rows->by_pair[1]);
	free(rows->object);
	*rows = (struct lock_rows){ 0 };
}
