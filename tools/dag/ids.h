/* SPDX-License-Identifier: MIT */
/*
 * ids.h - what the ids and names in a trace stand for.
 *
 * An id names the worker whose event made it, and is the n-th that this worker made.  Each worker
 * gives them out in order; some are missing where events were lost.
 */
#pragma once

#include "tools/dag/dag.h"

#define NONE UINT32_MAX
#define MADE_TEAM 0x80000000u /* or-ed to the number of a team: it stands for no task */

/* Ids that follow one another, from `first` on; made[at] is the first's. */
struct id_range {
	uint64_t first, n, at;
};

struct id_lane {	/* a worker's */
	uint32_t *made; /* task, or team | MADE_TEAM, in the order of their ids */
	uint64_t n_made, made_room;
	struct id_range *range; /* which ids those are */
	uint64_t n_ranges, range_room;
};

struct ids {
	struct id_lane *lane; /* n_lanes */
	uint32_t n_lanes;
	struct map found;   /* ids that no event made -> task + 1 */
	struct map by_name; /* name -> task + 1 that had it last */
};

void ids_open(struct ids *ids, uint32_t n_lanes);
void ids_free(struct ids *ids);			 /* NULL is fine, and a zeroed one */

/* An event made the id.  0, or -EPROTO: it was given out before. */
int ids_make_any(struct ids *ids, uint64_t id, uint32_t what);
static inline int ids_make(struct ids *ids, uint64_t id, uint32_t what)
{
	struct id_lane *lane = &ids->lane[id_worker(id)];
	struct id_range *last = lane->n_ranges ? &lane->range[lane->n_ranges - 1] : NULL;

	if (!last || id_n(id) - last->first != last->n || lane->n_made == lane->made_room)
		return ids_make_any(ids, id, what);
	last->n++; /* nearly all follow the one before */
	lane->made[lane->n_made++] = what;
	return 0;
}
/* The id stands for that task, though no event made it. */
void ids_find(struct ids *ids, uint64_t id, task_id task);
/* Where what the id stands for is kept, for an id that an event made; else NULL. */
uint32_t *ids_slot(const struct ids *ids, uint64_t id);
uint32_t ids_of_any(const struct ids *ids, uint64_t id);
/* What the id stands for: a task, a team | MADE_TEAM, or NONE. */
static inline uint32_t ids_of(const struct ids *ids, uint64_t id)
{
	if (id_worker(id) < ids->n_lanes) {
		const struct id_lane *lane = &ids->lane[id_worker(id)];
		const struct id_range *last =
			lane->n_ranges ? &lane->range[lane->n_ranges - 1] : NULL;

		if (last && id_n(id) - last->first < last->n) /* most of them */
			return lane->made[last->at + id_n(id) - last->first];
	}
	return ids_of_any(ids, id);
}

/* By task: the least id that stands for it, 0 if none does.  Freed by the caller. */
uint64_t *ids_by_task(const struct ids *ids, uint32_t n_tasks);

/* The task has the name from now on. */
void ids_name(struct ids *ids, uint64_t name, task_id task);
/* The task that had the name last; TASK_NONE. */
task_id ids_named(const struct ids *ids, uint64_t name);
