/* SPDX-License-Identifier: MIT */
/*
 * lock_rows.h - gathers what happens to locks by object and place, and makes the rows of it.
 *
 * Objects are numbered from 0 on by who gathers; a row is an object and one of dag->wait[]
 */
#pragma once

#include "tools/analysis/locks.h"
#include "tools/base/map.h"

struct lock_row {
	uint32_t object;
	uint16_t wait;
	uint64_t n_entries, n_waits, wait_ns, held_ns, held_max_ns;
};

struct lock_rows {
	struct lock_row *row; /* n_rows */
	uint64_t n_rows, row_room;
	struct map by_key; /* object << 16 | wait -> row + 1 */
	struct lock_entry {
		uint32_t row;
		uint64_t ns;
	} * waited; /* n_waited */
	uint64_t n_waited, waited_room;
	struct lock_pair { /* a kind, and the row that it waited at, or the object that it held */
		uint32_t of;
		kind_id kind;
		bool held;
		uint64_t n, ns;
	} * pair;
	uint64_t n_pairs, pair_room;
	struct map by_pair[2]; /* [held]: of << 32 | kind -> pair + 1 */
	struct lock_object {
		uint64_t name, busy_ns;
		bool held_known;
		uint64_t serial_ns;
	} * object; /* n_objects */
	uint64_t n_objects, object_room;
};

/* The row, made if it is new. */
uint32_t lock_rows_find(struct lock_rows *rows, uint32_t object, uint16_t wait);
/* A task of that kind entered; if it waited, so long. */
void lock_rows_enter(struct lock_rows *rows, uint32_t row, kind_id kind, bool waited, uint64_t ns);
/* One of that kind held the object while others waited, so long in all. */
void lock_rows_hold(struct lock_rows *rows, uint32_t object, kind_id kind, uint64_t ns);
/* Who entered there held the object for so long. */
void lock_rows_held(struct lock_rows *rows, uint32_t row, uint64_t ns);
/* The next object, by number. */
void lock_rows_object(struct lock_rows *rows, const struct lock_object *object);

/* All of it as locks. */
void lock_rows_build(struct lock_rows *rows, const struct dag *dag, struct locks *locks);
void lock_rows_free(struct lock_rows *rows); /* a zeroed one is fine */
