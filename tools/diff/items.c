/* SPDX-License-Identifier: MIT */
/* items.c - keeps items, each under a hash of what names it. */
#include "tools/diff/items.h"

#include <stdlib.h>
#include <string.h>

const char *const value_key[VALUES] = { "work_ns",	  "delay_ns", "no_work_sched_ns",
					"no_work_app_ns", "tasks",    "lost_ns",
					"times",	  "wait_ns" };
const char *const list_name[LISTS] = { "kind", "site", "path", "finding", "lock", "wait" };

/* Which of the first VALUES the items of a list have: from .. to - 1. */
static const struct value_range {
	int from, to;
} list_values[LISTS] = {
	[LIST_KINDS] = { VALUE_WORK, VALUE_LOST }, [LIST_PLACES] = { VALUE_WORK, VALUE_LOST },
	[LIST_PATHS] = { VALUE_WORK, VALUE_LOST }, [LIST_FINDINGS] = { VALUE_LOST, VALUE_TIMES },
	[LIST_LOCKS] = { VALUE_TIMES, VALUES },	   [LIST_WAITS] = { VALUE_TIMES, VALUES },
};

table_open *list_table(enum list list)
{
	static table_open *const open[LISTS] = {
		[LIST_KINDS] = kind_table,	 [LIST_PATHS] = path_table,
		[LIST_FINDINGS] = finding_table, [LIST_LOCKS] = lock_table,
		[LIST_WAITS] = wait_table,
	};

	return open[list];
}

int list_columns(enum list list, const struct column *column[VALUES_ALL - VALUES])
{
	struct table table = { 0 };
	int n = 0;

	if (list_table(list))
		list_table(list)(&table, NULL);
	for (uint32_t c = 0; c < table.n_columns && n < VALUES_ALL - VALUES; c++)
		if (table.column[c].diff)
			column[n++] = &table.column[c];
	table_close(&table);
	return n;
}

int value_first(enum list list)
{
	return list_values[list].from;
}

int value_next(enum list list, int value)
{
	const struct column *column[VALUES_ALL - VALUES];

	if (++value < list_values[list].to)
		return value;
	if (value < VALUES)
		value = VALUES;
	return value - VALUES < list_columns(list, column) ? value : VALUES_ALL;
}

const char *value_name(enum list list, int value)
{
	const struct column *column[VALUES_ALL - VALUES];

	if (value < VALUES)
		return value_key[value];
	list_columns(list, column);
	return column[value - VALUES]->key;
}

int item_compare(const struct item *a, const struct item *b)
{
	int order = strcmp(a->id, b->id);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->where, b->where);
	return order ? order : (a->line > b->line) - (a->line < b->line);
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

static void free_names(struct item *item)
{
	free((char *)item->id);
	free((char *)item->name);
	free((char *)item->where);
}

static struct item *add(struct items *items, const struct item *wanted, uint64_t *last)
{
	struct item item = { .id = strdup(wanted->id),
			     .name = strdup(wanted->name),
			     .where = strdup(wanted->where),
			     .has_line = wanted->has_line,
			     .line = wanted->line,
			     .before = (uint32_t)*last };

	if (!item.id || !item.name || !item.where ||
	    !array_grow(&items->item, &items->room, items->n + 1ull, sizeof(item))) {
		free_names(&item);
		return NULL;
	}
	items->item[items->n++] = item;
	*last = items->n;
	return &items->item[items->n - 1];
}

struct item *items_at(struct items *items, const struct item *wanted)
{
	uint64_t *last = map_put(&items->by_hash, hash_of(wanted));

	if (!last)
		return NULL;
	for (uint64_t at = *last; at; at = items->item[at - 1].before)
		if (item_compare(&items->item[at - 1], wanted) == 0)
			return &items->item[at - 1];
	return add(items, wanted, last);
}

void items_free(struct items *items)
{
	for (uint32_t i = 0; i < items->n; i++)
		free_names(&items->item[i]);
	free(items->item);
	map_free(&items->by_hash);
	*items = (struct items){ 0 };
}
