/* SPDX-License-Identifier: MIT */
/*
 * runs.h - makes one record of those of many children that a waiting task's worker runs in a row.
 *
 * A task that creates thousands and then waits (a search on oneTBB) has children that are begun
 * long after, the newest first.  No part of it can be collapsed, as none has all tasks that it
 * created, so each child that has tasks below it keeps a record of its own.  This pass merges these
 * records: a child loses its record and becomes as short as its own work; what else went on until
 * its end moves to a later child's record, and what lies in between moves forward.  All sums stay
 * what they were, those by number of ready tasks, too: the children behind one that is merged were
 * ready then.  So seven of them stay as they are.
 *
 * Who waits for one of them would see that it ended earlier.  So the pass knows which tasks the
 * worker created and has not begun, and takes only children of the task that waits on this worker
 * for all of them: its wait ends with a later one.  No task with a name is taken once one was
 * awaited by its name.  A path through a merged child is no longer than
 * one through a newer child that was not.
 *
 * One pass over what goes to the file, for one worker.  Times are ticks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/wire.h"

/* A task that waits. */
struct runs_wait {
	uint64_t id, object;
	uint32_t what;	  /* enum wire_wait */
	uint32_t n_chain; /* of the children since it waits: the longest chain below one, and 1, */
	uint64_t span;	  /* and the longest path through one */
};

/* Tasks that were created one after the other: the name (or id) of each is `step` from the next. */
struct runs_created {
	uint64_t last, step, n;
	uint64_t creator, bag;
};

/* Of one worker; all-zero is a valid empty value.  Freed by runs_free(). */
struct runs {
	uint64_t running;	   /* the task whose strand began last */
	struct runs_created fresh; /* the task created last, while more is said of it */
	struct runs_created *created;
	struct runs_wait *wait; /* on top of one another */
	uint32_t n_created, created_room, n_waits, wait_room;
	bool named;   /* .fresh has a name */
	bool by_name; /* a task waits for others by their names: any that has one may be awaited */
};

/*
 * Takes n events of the worker, before which it had given out n_ids: how many are left of them.
 * No record becomes longer than `longest` by it.
 */
uint32_t runs_merge(struct runs *runs, struct wire_event *event, uint32_t n, uint64_t worker,
		    uint64_t n_ids, uint64_t longest);
void runs_free(struct runs *runs);
