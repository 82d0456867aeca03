/* SPDX-License-Identifier: MIT */
/*
 * items.h - lists of what a run's figures are split over: kinds, places, paths, findings, waits.
 *
 * A list has one item of an id, name, file and line, which is found by these in constant time.  It
 * owns its strings.  Times are ns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/analysis/counted.h"
#include "tools/base/map.h"
#include "tools/summary/report_tables.h"

enum list { LIST_KINDS, LIST_PLACES, LIST_PATHS, LIST_FINDINGS, LIST_LOCKS, LIST_WAITS, LISTS };

enum value {
	VALUE_WORK, /* the four components */
	VALUE_DELAY,
	VALUE_SCHED,
	VALUE_APP,
	VALUE_TASKS,
	VALUE_LOST,  /* by a finding */
	VALUE_TIMES, /* waits for a lock, or at a place for tasks, .. */
	VALUE_WAIT,  /* and how long they took */
	VALUES,
	VALUES_ALL = VALUES + 4 /* with columns of the report's table that are for diff */
};
extern const char *const value_key[VALUES]; /* "work_ns", .. */

extern const char *const list_name[LISTS]; /* "kind", .. */

/* The report's table of a list; of places that of kinds, for its columns alone. */
table_open *list_table(enum list list);
/* By value, its columns that runs are compared by; NULL: the list has no such value. */
void list_columns(enum list list, const struct column *column[VALUES_ALL]);

/* The list's values: `for (v = value_next(list, -1); v < VALUES_ALL; v = value_next(list, v))`. */
int value_next(enum list list, int value);
const char *value_name(enum list list, int value);

/* A kind, a place that creates tasks, a creation path, a finding, or who is waited for. */
struct item {
	const char *id;	   /* of a finding; what is waited for; else "" */
	const char *name;  /* of the code */
	const char *where; /* the file's name, else the module's, without directories; else "" */
	bool has_line;	   /* `where` is a file */
	uint32_t line;
	uint32_t before; /* 1 + another item of the list with the same hash; 0: none */
	uint64_t value[VALUES_ALL];
	struct counts counts; /* of kinds, places and paths: by the run's tallies */
};

struct items {
	struct item *item;
	uint32_t n;
	uint64_t room;
	struct map by_hash; /* 1 + the last item with that hash */
};

/* The item that is named like `wanted`, made without values if it is newIt may move when another
 * one is made. */
struct item *items_at(struct items *items, const struct item *wanted);
void items_free(struct items *items); /* a zeroed one is fine */
void item_free(struct item *item);    /* its names */

/* The four components of an item, added up. */
uint64_t item_sum(const struct item *item);
/* Their order: by id, name, where and line; 0 if they are the same. */
int item_compare(const struct item *a, const struct item *b);
/* The same of two rows of n runs, each by the last run that has it. */
int item_compare_rows(const struct item *const *a, const struct item *const *b, uint32_t n);
