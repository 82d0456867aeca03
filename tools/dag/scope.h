/* SPDX-License-Identifier: MIT */
/*
 * scope.h - whose the tasks are that have ended and that nobody has joined yet.
 *
 *	scope	whom tasks belong to that outlive their parent: a team, or an open taskgroup; or
 *		a bag, whose tasks belong to it from the beginning
 *	list	ended tasks that somebody may still join, linked through task_slot
 *
 * A complete task waits in a list: of its parent, while that runs; else of the taskgroup or the
 * team that both belong to.  Whoever waits takes the lists that its wait is for, and each task is
 * taken once: that adds the edges from it into the newest strand.
 */
#pragma once

#include "tools/dag/depend.h"

struct scope {
	uint32_t outer;	      /* the scope around it; NONE for the outermost */
	task_id owner;	      /* the task that opened a taskgroup; else TASK_NONE */
	struct list children; /* the owner's, created in this taskgroup */
	struct list orphans;  /* tasks below, whose parents have ended; all of a bag */
	uint32_t n_running;   /* of a bag: begun and not ended */
	uint32_t n_waiting;   /* tasks that wait for the bag */
	uint32_t signalled;   /* signal_place() when all that waited for the bag had gone on */
	bool bag;
};

struct scopes {
	struct state *state;
	struct depend *depend;
	struct scope *scope; /* n; 0 is the outermost */
	uint64_t n, room;
	struct map by_bag; /* bag -> scope + 1 */
};

void scope_start(struct scopes *scopes, struct state *state, struct depend *depend);
void scope_free(struct scopes *scopes);

/* A new scope. */
uint32_t scope_open(struct scopes *scopes, uint32_t outer, task_id owner);
/* The scope of that bag, made if there is none. */
uint32_t scope_of_bag(struct scopes *scopes, uint64_t bag);
/* The bag that somebody waits for: it has a scope. */
static inline struct scope *scope_bag(const struct scopes *scopes, uint64_t bag)
{
	return &scopes->scope[*map_find(&scopes->by_bag, bag) - 1];
}

void list_push(struct state *state, struct list *list, task_id task);

/* A task begins, in the scope that its slot said. */
void scope_enter(struct scopes *scopes, struct live *live, uint32_t home);
/* It is about to end: what it did not join is for others to join. */
void scope_abandon(struct scopes *scopes, struct live *live);
void scope_leave(struct scopes *scopes, const struct live *live);
/* A task is complete: its parent, or its scope if that has ended, may join it. */
void scope_complete(struct scopes *scopes, task_id task, task_id parent, uint32_t scope);
/* The scope, and who ended in it, are for others to join: the outer one has them. */
void scope_give_up(struct scopes *scopes, uint32_t scope, struct list *done);
/*
 * The taskgroup that the task has open is over, and nobody saw who joined what ended in it: the
 * task's children there become those of its taskgroup around it, or of none, and the outer scope
 * has the others.
 */
void scope_close(struct scopes *scopes, struct live *live);

/* Adds an edge from each task of the list that nobody has joined, and empties it. */
int scope_take(struct scopes *scopes, struct list *list);
int scope_take_all(struct scopes *scopes, uint32_t scope);
/* The same of the task's children, .. */
int scope_take_children(struct scopes *scopes, struct live *live);
/* .. of what the taskgroups that it has open hold of tasks below those, .. */
int scope_take_groups(struct scopes *scopes, struct live *live);
/* .. of its innermost taskgroup, which is over; or of its children, if it has none open. */
int scope_take_group(struct scopes *scopes, struct live *live);
