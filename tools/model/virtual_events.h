/* SPDX-License-Identifier: MIT */
/*
 * virtual_events.h - the recorded events of each strand: the one that began it, what is said of it,
 * the one that ended it, and what is said of that.  Names of tasks are unique in them.
 */
#pragma once

#include "tools/trace/decode.h"
#include "tools/dag/dag.h"

struct reader;

/* A task that has ended released an object, by whoever said so. */
struct virtual_release {
	task_id task;
	uint64_t name, object; /* the task's, and what it released */
};

struct virtual_events {
	struct event *event; /* of all workers, one after the other; n */
	uint64_t n, room;
	uint64_t *begin;    /* by strand: its first event */
	uint32_t *n_events; /* by strand */
	struct virtual_release *release; /* by task */
	uint64_t n_releases, release_room;
	bool discards;	    /* some tasks: those that the dag has as TASK_CANCELLED */
};

/* 0, or -errno and *err. */
int virtual_events_read(struct virtual_events *events, const struct reader *reader,
			const struct dag *dag, struct err *err);
void virtual_events_free(struct virtual_events *events); /* a zeroed one is fine */

/* The strand's events, n of them, of which the first began it. */
static inline const struct event *virtual_events_of(const struct virtual_events *events,
						    strand_id s, uint32_t *n)
{
	*n = events->n_events[s];
	return &events->event[events->begin[s]];
}

/* The task's releases by others, n of them. */
const struct virtual_release *virtual_releases_of(const struct virtual_events *events, task_id task,
						  uint64_t *n);

/* The ids that collapsed tasks below were given. */
uint64_t virtual_collapsed_ids(const struct event *event, uint32_t n);
