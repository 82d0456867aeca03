/* SPDX-License-Identifier: MIT */
/* items.c - keeps items, each under a hash of what names it. */
#include "tools/diff/items.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/order.h"
#include "tools/base/xalloc.h"

const char *const value_key[VALUES] = { "work_ns",	  "delay_ns", "no_work_sched_ns",
					"no_work_app_ns", "tasks",    "lost_ns",
					"times",	  "wait_ns" };
const char *const list_name[LISTS] = { "kind", "site", "path", "finding", "lock", "wait" };

table_open *list_table(enum list list)
{
	static table_open *const open[LISTS] = { kind_table,	kind_table, path_table,
						 finding_table, lock_table, wait_table };

	return open[list];
}

void list_columns(enum list list, const struct column *column[VALUES_ALL])
{
	static const struct summary none;
	struct table table;
	int more = list == LIST_PLACES ? VALUES_ALL : VALUES; /* those have none besides */

	memset(column, 0, VALUES_ALL * sizeof(*column));
	list_table(list)(&table, &none);
	for (uint32_t c = 0; c < table.n_columns; c++) {
		const struct column *of = &table.column[c];
		int v = 0;

		while (of->diff && v < VALUES && strcmp(of->diff, value_key[v]) != 0)
			v++;
		v = of->diff && v == VALUES ? more++ : v;
		if (of->diff && v < VALUES_ALL)
			column[v] = of;
	}
	table_close(&table);
}

int value_next(enum list list, int value)
{
	const struct column *column[VALUES_ALL];

	list_columns(list, column);
	for (value++; value < VALUES_ALL && !column[value];)
		value++;
	return value;
}

const char *value_name(enum list list, int value)
{
	const struct column *column[VALUES_ALL];

	list_columns(list, column);
	return column[value]->diff;
}

int item_compare(const struct item *a, const struct item *b)
{
	int order = strcmp(a->id, b->id) ?: strcmp(a->name, b->name) ?: strcmp(a->where, b->where);

	return order ?: order_least(a->line, b->line);
}

int item_compare_rows(const struct item *const *a, const struct item *const *b, uint32_t n)
{
	const struct item *first = NULL, *second = NULL;

	for (uint32_t r = 0; r < n; r++) {
		first = a[r] ? a[r] : first;
		second = b[r] ? b[r] : second;
	}
	return item_compare(first, second);
}

uint64_t item_sum(const struct item *item)
{
	return item->value[VALUE_WORK] + item->value[VALUE_DELAY] + item->value[VALUE_SCHED] +
	       item->value[VALUE_APP];
}

static uint64_t hash_of(const struct item *item)
{
	uint64_t hash = map_hash(map_hash(MAP_HASH, item->id), item->name);

	return map_hash(hash, item->where) + item->line;
}

void item_free(struct item *item)
{
	free((char *)item->id);
	free((char *)item->name);
	free((char *)item->where);
}

static struct item *add(struct items *items, const struct item *wanted, uint64_t *last)
{
	struct item item = { .id = xstrdup(wanted->id),
			     .name = xstrdup(wanted->name),
			     .where = xstrdup(wanted->where),
			     .has_line = wanted->has_line,
			     .line = wanted->line,
			     .before = (uint32_t)*last };

	ARRAY_ADD(items->item, items->n, items->room, item);
	*last = items->n;
	return &items->item[items->n - 1];
}

struct item *items_at(struct items *items, const struct item *wanted)
{
	uint64_t *last = map_put(&items->by_hash, hash_of(wanted));

	for (uint64_t at = *last; at; at = items->item[at - 1].before)
		if (item_compare(&items->item[at - 1], wanted) == 0)
			return &items->item[at - 1];
	return add(items, wanted, last);
}

void items_free(struct items *items)
{
	for (uint32_t i = 0; i < items->n; i++)
		item_free(&items->item[i]);
	free(items->item);
	map_free(&items->by_hash);
	*items = (struct items){ 0 };
}
