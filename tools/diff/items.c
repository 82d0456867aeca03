/* SPDX-License-Identifier: MIT */
/* items.c - keeps items, each under a hash of what names it. */
#include "tools/diff/items.h"

#include <stdlib.h>
#include <string.h>

const char *const value_key[VALUES] = { "work_ns",	  "delay_ns", "no_work_sched_ns",
					"no_work_app_ns", "tasks",    "lost_ns",
					"times",	  "wait_ns" };
const char *const list_name[LISTS] = { "kind", "site", "path", "finding", "lock", "wait" };
const struct value_range list_values[LISTS] = {
	[LIST_KINDS] = { VALUE_WORK, VALUE_LOST }, [LIST_PLACES] = { VALUE_WORK, VALUE_LOST },
	[LIST_PATHS] = { VALUE_WORK, VALUE_LOST }, [LIST_FINDINGS] = { VALUE_LOST, VALUE_TIMES },
	[LIST_LOCKS] = { VALUE_TIMES, VALUES },	   [LIST_WAITS] = { VALUE_TIMES, VALUES },
};

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
