/* SPDX-License-Identifier: MIT */
/* ids.c - keeps ids by worker, in ranges: a task or team each, 4 bytes. */
#include "tools/dag/ids.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/sorted.h"
#include "tools/base/xalloc.h"

void ids_open(struct ids *ids, uint32_t n_lanes)
{
	*ids = (struct ids){ .lane = xcalloc(n_lanes + 1ull, sizeof(*ids->lane)),
			     .n_lanes = n_lanes };
}

void ids_free(struct ids *ids)
{
	if (!ids)
		return;
	for (uint32_t w = 0; ids->lane && w < ids->n_lanes; w++) {
		free(ids->lane[w].made);
		free(ids->lane[w].range);
	}
	free(ids->lane);
	map_free(&ids->found);
	map_free(&ids->by_name);
	*ids = (struct ids){ 0 };
}

int ids_make_any(struct ids *ids, uint64_t id, uint32_t what)
{
	struct id_lane *lane = &ids->lane[id_worker(id)];
	uint64_t n = id_n(id);
	struct id_range *last = lane->n_ranges ? &lane->range[lane->n_ranges - 1] : NULL;

	if (last && n < last->first + last->n)
		return -EPROTO;
	array_grow(&lane->made, &lane->made_room, lane->n_made + 1, sizeof(*lane->made));
	if (!last || n != last->first + last->n) { /* those between are missing */
		last = ARRAY_ADD(lane->range, lane->n_ranges, lane->range_room,
				 (struct id_range){ .first = n, .at = lane->n_made });
	}
	last->n++;
	lane->made[lane->n_made++] = what;
	return 0;
}

void ids_find(struct ids *ids, uint64_t id, task_id task)
{
	uint64_t *found = map_put(&ids->found, id);

	*found = (uint64_t)task + 1;
}

/* The last range of the lane that does not begin after n; NULL if there is none. */
static const struct id_range *range_of(const struct id_lane *lane, uint64_t n)
{
	uint64_t n_ranges = lane->n_ranges;

	if (n_ranges && lane->range[n_ranges - 1].first <= n)
		return &lane->range[n_ranges - 1];
	n_ranges = SORTED_BEFORE(lane->range, n_ranges, it->first <= n);
	return n_ranges ? &lane->range[n_ranges - 1] : NULL;
}

uint32_t *ids_slot(const struct ids *ids, uint64_t id)
{
	const struct id_range *range = NULL;

	if (id_worker(id) < ids->n_lanes)
		range = range_of(&ids->lane[id_worker(id)], id_n(id));
	if (!range || id_n(id) - range->first >= range->n)
		return NULL;
	return &ids->lane[id_worker(id)].made[range->at + id_n(id) - range->first];
}

uint32_t ids_of_any(const struct ids *ids, uint64_t id)
{
	const uint32_t *made = ids_slot(ids, id);
	const uint64_t *found;

	if (made)
		return *made;
	found = map_find(&ids->found, id);
	return found ? (uint32_t)(*found - 1) : NONE;
}

static void note(uint64_t *by_task, uint32_t n_tasks, uint32_t task, uint64_t id)
{
	if (task < n_tasks && (!by_task[task] || id < by_task[task]))
		by_task[task] = id;
}

uint64_t *ids_by_task(const struct ids *ids, uint32_t n_tasks)
{
	uint64_t *by_task = xcalloc(n_tasks + 1ull, sizeof(*by_task));

	for (uint32_t w = 0; w < ids->n_lanes; w++) {
		const struct id_lane *lane = &ids->lane[w];

		for (uint64_t r = 0; r < lane->n_ranges; r++)
			for (uint64_t i = 0; i < lane->range[r].n; i++)
				note(by_task, n_tasks, lane->made[lane->range[r].at + i],
				     id_make(w, lane->range[r].first + i));
	}
	for (uint32_t i = 0; i < ids->found.n_slots; i++)
		if (ids->found.used[i])
			note(by_task, n_tasks, (uint32_t)(ids->found.entry[i].value - 1),
			     ids->found.entry[i].key);
	return by_task;
}

void ids_name(struct ids *ids, uint64_t name, task_id task)
{
	uint64_t *kept = map_put(&ids->by_name, name);

	*kept = (uint64_t)task + 1;
}

task_id ids_named(const struct ids *ids, uint64_t name)
{
	const uint64_t *task = map_find(&ids->by_name, name);

	return task ? (task_id)(*task - 1) : TASK_NONE;
}
