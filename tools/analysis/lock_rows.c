/* SPDX-License-Identifier: MIT */
/* lock_rows.c - sums by row, and the rows of a place that are told apart. */
#include "tools/analysis/lock_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/map.h"
#include "tools/base/xalloc.h"

/* ---- gathering ---- */

uint32_t lock_rows_find(struct lock_rows *rows, uint32_t object, uint16_t wait)
{
	uint64_t *number = map_put(&rows->by_key, (uint64_t)object << 16 | wait);

	if (!*number) {
		ARRAY_ADD(rows->row, rows->n_rows, rows->row_room,
			  (struct lock_row){ .object = object, .wait = wait });
		*number = rows->n_rows;
	}
	return (uint32_t)(*number - 1);
}

static void add_pair(struct lock_rows *rows, const struct lock_pair *pair)
{
	uint64_t *number =
		map_put(&rows->by_pair[pair->held], (uint64_t)pair->of << 32 | pair->kind);

	if (!*number) {
		ARRAY_ADD(rows->pair, rows->n_pairs, rows->pair_room, *pair);
		*number = rows->n_pairs;
		return;
	}
	rows->pair[*number - 1].n += pair->n;
	rows->pair[*number - 1].ns += pair->ns;
}

void lock_rows_enter(struct lock_rows *rows, uint32_t row, kind_id kind, bool waited, uint64_t ns)
{
	struct lock_pair pair = { .of = row, .kind = kind, .n = 1, .ns = ns };

	rows->row[row].n_entries++;
	if (!waited)
		return;
	ARRAY_ADD(rows->waited, rows->n_waited, rows->waited_room, (struct lock_entry){ row, ns });
	rows->row[row].n_waits++;
	rows->row[row].wait_ns += ns;
	add_pair(rows, &pair);
}

void lock_rows_hold(struct lock_rows *rows, uint32_t object, kind_id kind, uint64_t ns)
{
	struct lock_pair pair = { .of = object, .kind = kind, .held = true, .ns = ns };

	add_pair(rows, &pair);
}

void lock_rows_held(struct lock_rows *rows, uint32_t row, uint64_t ns)
{
	rows->row[row].held_ns += ns;
	if (ns > rows->row[row].held_max_ns)
		rows->row[row].held_max_ns = ns;
}

void lock_rows_object(struct lock_rows *rows, const struct lock_object *object)
{
	ARRAY_ADD(rows->object, rows->n_objects, rows->object_room, *object);
}

/* ---- rows of locks ---- */

struct making {
	struct lock_rows *rows;
	struct lock *lock; /* n */
	uint32_t n;
	uint32_t *lock_of; /* by row; NONE: of no lock */
	uint32_t *first;   /* n_objects: a row of it, .. */
	uint32_t *next;	   /* .. and by row the next; NONE */
};
#define NONE UINT32_MAX

/* By place, and there the one that was waited for most. */
ORDER(by_place, struct lock_row, BY_LEAST(wait) ?: BY_MOST(wait_ns) ?: BY_LEAST(object))

/* A lock with the row's object and place, and nothing of the row yet. */
static void new_lock(struct making *making, const struct dag *dag, const struct lock_row *row)
{
	const struct lock_object *object = &making->rows->object[row->object];
	const struct dag_wait *wait = &dag->wait[row->wait];

	making->lock[making->n++] = (struct lock){ .site = wait->site,
						   .what = wait->what,
						   .n_places = 1,
						   .object = object->name,
						   .n_objects = 1,
						   .busy_ns = object->busy_ns,
						   .held_known = object->held_known,
						   .serial_ns = object->serial_ns };
}

/* The row is of the last lock. */
static void add_row(struct making *making, const struct lock_row *row)
{
	struct lock *lock = &making->lock[making->n - 1];
	uint32_t number = lock_rows_find(making->rows, row->object, row->wait);

	lock->n_entries += row->n_entries;
	lock->n_waits += row->n_waits;
	lock->wait_ns += row->wait_ns;
	lock->held_ns += row->held_ns;
	if (row->held_max_ns > lock->held_max_ns)
		lock->held_max_ns = row->held_max_ns;
	making->lock_of[number] = making->n - 1;
	making->next[number] = making->first[row->object];
	making->first[row->object] = number;
}

/* The row becomes a lock of its own, or a further object of the last. */
static void place_row(struct making *making, const struct dag *dag, const struct lock_row *row,
		      uint32_t nth)
{
	const struct lock_object *object = &making->rows->object[row->object];

	if (nth < LOCK_OBJECTS) {
		new_lock(making, dag, row);
	} else {
		struct lock *lock = &making->lock[making->n - 1];

		lock->n_objects++;
		lock->object = lock->serial_ns = 0;
		lock->busy_ns += object->busy_ns;
		lock->held_known &= object->held_known;
	}
	add_row(making, row);
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
static void place_kinds(struct making *making)
{
	struct lock_rows *rows = making->rows, sums = { 0 };

	for (uint64_t i = 0; i < rows->n_pairs; i++) {
		struct lock_pair pair = rows->pair[i];
		uint32_t row = pair.held ? making->first[pair.of] : pair.of, last = NONE;

		for (; row != NONE; row = pair.held ? making->next[row] : NONE) {
			pair.of = making->lock_of[row];
			if (pair.of != NONE && pair.of != last) /* a whole has rows in a row */
				add_pair(&sums, &pair);
			last = pair.of;
		}
	}
	for (uint64_t i = 0; i < sums.n_pairs; i++) {
		struct lock *lock = &making->lock[sums.pair[i].of];

		if (sums.pair[i].held)
			add_kind(lock->holder, &lock->n_holders, &sums.pair[i]);
		else
			add_kind(lock->waiter, &lock->n_waiters, &sums.pair[i]);
	}
	lock_rows_free(&sums);
}

ORDER(by_length, struct lock_entry, BY_LEAST(row) ?: BY_LEAST(ns))

/* Entries by row, n of them, become entries by lock. */
static void place_waits(struct making *making, struct lock_entry *entry, uint64_t n)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < n; i++)
		entry[i].row = making->lock_of[entry[i].row];
	SORT(entry, n, by_length);
	for (uint32_t i = 0; i < making->n; i++) {
		struct lock *lock = &making->lock[i];

		if (lock->n_waits == 0)
			continue;
		lock->median_ns = entry[first + (lock->n_waits - 1) / 2].ns;
		lock->max_ns = entry[first + lock->n_waits - 1].ns;
		first += lock->n_waits;
	}
}

static struct lock_row *sorted_rows(const struct lock_rows *rows,
				    int (*compare)(const void *, const void *))
{
	struct lock_row *sorted = xmalloc((rows->n_rows + 1) * sizeof(*sorted));

	if (rows->n_rows) {
		memcpy(sorted, rows->row, rows->n_rows * sizeof(*sorted));
		SORT(sorted, rows->n_rows, compare);
	}
	return sorted;
}

/* In what order rows were met does not matter from here on. */
static void place_rows(struct making *making, const struct dag *dag)
{
	struct lock_row *sorted = sorted_rows(making->rows, by_place);
	uint32_t nth = 0;

	for (uint64_t i = 0; i < making->rows->n_rows; i++) {
		if (i && sorted[i].wait != sorted[i - 1].wait)
			nth = 0;
		if (sorted[i].n_entries)
			place_row(making, dag, &sorted[i], nth++);
	}
	free(sorted);
}

/* ---- objects with several places ---- */

ORDER(by_object, struct lock_row, BY_LEAST(object) ?: BY_MOST(wait_ns) ?: BY_LEAST(wait))

/* By place, how many objects were entered there. */
static uint32_t *objects_at(const struct lock_rows *rows, const struct dag *dag)
{
	uint32_t *n = xcalloc(dag->n_waits + 1ull, sizeof(*n));

	for (uint64_t i = 0; i < rows->n_rows; i++)
		n[rows->row[i].wait] += rows->row[i].n_entries > 0;
	return n;
}

/* The rows from `row` to `end` are of one object: those of places that have no other object. */
static void place_object(struct making *making, const struct dag *dag, const uint32_t *n_objects,
			 const struct lock_row *row, const struct lock_row *end)
{
	const struct lock_row *lead = NULL;
	bool is_new = false;

	for (; row < end; row++) {
		if (!row->n_entries || n_objects[row->wait] != 1)
			continue;
		if (!lead) {
			lead = row;
			continue;
		}
		if (dag->wait[row->wait].what != dag->wait[lead->wait].what)
			continue;
		if (!is_new) {
			new_lock(making, dag, lead);
			add_row(making, lead);
			is_new = true;
		}
		add_row(making, row);
		making->lock[making->n - 1].n_places++;
	}
}

static void place_objects(struct making *making, const struct dag *dag)
{
	struct lock_rows *rows = making->rows;
	uint32_t *n_objects = objects_at(rows, dag);
	struct lock_row *sorted = sorted_rows(rows, by_object);

	for (uint64_t i = 0, next; i < rows->n_rows; i = next) {
		for (next = i + 1; next < rows->n_rows && sorted[next].object == sorted[i].object;)
			next++;
		place_object(making, dag, n_objects, &sorted[i], &sorted[next]);
	}
	free(n_objects);
	free(sorted);
}

/* The waits of all rows that have become locks; the caller frees *entry. */
static void waits_of(const struct making *making, struct lock_entry **entry, uint64_t *n)
{
	const struct lock_rows *rows = making->rows;
	uint64_t n_waits = 0;

	for (uint32_t i = 0; i < making->n; i++)
		n_waits += making->lock[i].n_waits;
	*n = 0;
	*entry = xmalloc((n_waits + 1) * sizeof(**entry));
	for (uint64_t i = 0; i < rows->n_waited && n_waits; i++)
		if (making->lock_of[rows->waited[i].row] != NONE)
			(*entry)[(*n)++] = rows->waited[i];
}

/* ---- all of it ---- */

ORDER(longest_first, struct lock, BY_MOST(wait_ns) ?: BY_LEAST(site) ?: BY_LEAST(object))

static void making_open(struct making *making, struct lock_rows *rows, uint64_t n_locks)
{
	*making = (struct making){ .rows = rows };
	making->lock = xcalloc(n_locks + 1, sizeof(*making->lock));
	making->lock_of = xmalloc((rows->n_rows + 1) * sizeof(*making->lock_of));
	making->next = xmalloc((rows->n_rows + 1) * sizeof(*making->next));
	making->first = xmalloc((rows->n_objects + 1) * sizeof(*making->first));
	memset(making->lock_of, 0xff, (rows->n_rows + 1) * sizeof(*making->lock_of));
	memset(making->first, 0xff, (rows->n_objects + 1) * sizeof(*making->first));
}

/* Leaves making->lock, the longest waits first. */
static void making_close(struct making *making)
{
	SORT(making->lock, making->n, longest_first);
	free(making->lock_of);
	free(making->next);
	free(making->first);
}

static void build_wholes(struct lock_rows *rows, const struct dag *dag, struct locks *locks)
{
	struct making making;
	struct lock_entry *entry = NULL;
	uint64_t n = 0;
	making_open(&making, rows, dag->n_waits / 2);

	place_objects(&making, dag);

	place_kinds(&making);
	waits_of(&making, &entry, &n);
	place_waits(&making, entry, n);
	free(entry);
	making_close(&making);
	locks->whole = making.lock;
	locks->n_wholes = making.n;
}

static void build_locks(struct lock_rows *rows, const struct dag *dag, struct locks *locks)
{
	struct making making;
	making_open(&making, rows, rows->n_rows);

	place_rows(&making, dag);

	place_kinds(&making);
	place_waits(&making, rows->waited, rows->n_waited);
	making_close(&making);
	locks->lock = making.lock;
	locks->n = making.n;
}

void lock_rows_build(struct lock_rows *rows, const struct dag *dag, struct locks *locks)
{
	build_wholes(rows, dag, locks);

	build_locks(rows, dag, locks);
	return; /* which sorts the waits by lock */
}

void lock_rows_free(struct lock_rows *rows)
{
	free(rows->row);
	map_free(&rows->by_key);
	free(rows->waited);
	free(rows->pair);
	map_free(&rows->by_pair[0]);
	map_free(&rows->by_pair[1]);
	free(rows->object);
	*rows = (struct lock_rows){ 0 };
}
