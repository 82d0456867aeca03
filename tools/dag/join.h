/* SPDX-License-Identifier: MIT */
/*
 * join.h - what a task waits for, and the edges from it.
 *
 * A wait is of the live that waits: its kind, since when, and the object that it is for, if that
 * is said.  What it is for is known to scope, barrier, signals and depend.
 */
#pragma once

#include "tools/dag/barrier.h"
#include "tools/dag/signals.h"

struct join {
	struct state *state;
	struct depend *depend;
	struct scopes scopes;
	struct barriers barriers;
	struct signals signals;
	struct map unsignalled; /* ended task that its handle keeps -> parent << 32 | scope */
};

void join_open(struct join *join, struct state *state, struct depend *depend);
void join_free(struct join *join);

/* The task begins; as a member of that team, or NONE. */
void join_begin(struct join *join, task_id task, uint32_t team);
/* The task's code is over: whoever joins it may. */
void join_end(struct join *join, task_id task);
/* A task is complete by a signal of its handle, if its code is over. */
void join_signalled(struct join *join, task_id task);

/* The task's strand ended with a wait of that kind. */
void join_wait(struct join *join, struct live *live, enum wire_wait wait);
/* The wait that began last has this object. */
void join_object(struct join *join, struct live *live, uint64_t object);
/* The wait turned out to be none. */
void join_no_wait(struct join *join, struct live *live);
/* The task's wait was over in a gap: so is the taskgroup that it closed, or the team that it
 * forked. */
void join_lost(struct join *join, struct live *live);
/* Nobody knows any more what the task waits for. */
void join_forget(struct join *join, struct live *live);

/* The bag that the task waits for; NULL if it waits for none. */
struct scope *join_bag(const struct join *join, const struct live *live);
/* Before its strand is made: makes the node of the barrier that it leaves, if it is the first. */
int join_before_resume(struct join *join, struct live *live);
/* Adds the edges of what the task waited for into its newest strand. */
int join_resume(struct join *join, struct live *live);
/* The same of a task that begins, from whom it depends on. */
int join_depends(struct join *join, task_id task);

/* Unless it waits at a barrier of its team that not all of its members have reached. */
bool join_all_arrived(const struct join *join, const struct live *live);
/* Whether all that the task waits for is complete, as far as that is easily told. */
bool join_satisfied(const struct join *join, const struct live *live);
/* Whether it is known that a task which it waits for has not ended; of taskgroups it is not. */
bool join_is_open(const struct join *join, const struct live *live);
/* The task: whom it waits for is younger.  At its team's barrier, next to the forker: so is all of
 * the team.  By name, 0: it may wait for anyone. */
task_id join_elder(const struct join *join, const struct live *live);
