/* SPDX-License-Identifier: MIT */
/* scope.c - lists of tasks to be joined. */
#include "tools/dag/scope.h"

#include <stdlib.h>

void scope_start(struct scopes *scopes, struct state *state, struct depend *depend)
{
	*scopes = (struct scopes){ .state = state, .depend = depend };
	scope_open(scopes, NONE, TASK_NONE);
}

void scope_free(struct scopes *scopes)
{
	free(scopes->scope);
	map_free(&scopes->by_bag);
	*scopes = (struct scopes){ 0 };
}

/* ---- scopes ---- */

uint32_t scope_open(struct scopes *scopes, uint32_t outer, task_id owner)
{
	array_grow(&scopes->scope, &scopes->room, scopes->n + 1, sizeof(*scopes->scope));
	scopes->scope[scopes->n] = (struct scope){ .outer = outer,
						   .owner = owner,
						   .children = { NONE, NONE },
						   .orphans = { NONE, NONE } };
	return (uint32_t)scopes->n++;
}

uint32_t scope_of_bag(struct scopes *scopes, uint64_t bag)
{
	uint64_t *kept = map_put(&scopes->by_bag, bag);

	if (*kept == 0) {
		uint32_t scope = scope_open(scopes, 0, TASK_NONE);

		if (scope == NONE)
			return NONE;
		scopes->scope[scope].bag = true;
		*kept = (uint64_t)scope + 1;
	}
	return (uint32_t)(*kept - 1);
}

/* The taskgroup that the task opened around scope s, or s itself; NULL if it has none open there.
 */
static struct scope *own_group(const struct scopes *scopes, const struct live *live, uint32_t s)
{
	return scopes->scope[s].owner == live->task ? &scopes->scope[s] : NULL;
}

/* ---- lists ---- */

void list_push(struct state *state, struct list *list, task_id task)
{
	state->task_slot[task] = NONE;
	if (list->head == NONE)
		list->head = task;
	else
		state->task_slot[list->tail] = task;
	list->tail = task;
}

static void splice(struct state *state, struct list *to, struct list *from)
{
	if (from->head == NONE)
		return;
	if (to->head == NONE)
		to->head = from->head;
	else
		state->task_slot[to->tail] = from->head;
	to->tail = from->tail;
	*from = (struct list){ NONE, NONE };
}

/* ---- a task's life ---- */

void scope_enter(struct scopes *scopes, struct live *live, uint32_t home)
{
	struct scope *scope = &scopes->scope[home];

	live->home = home;
	live->scope = scope->bag ? scope->outer : home;
	scope->n_running++;
}

void scope_abandon(struct scopes *scopes, struct live *live)
{
	const struct scope *home = &scopes->scope[live->home];
	struct scope *scope = &scopes->scope[home->bag ? home->outer : live->home], *group;

	splice(scopes->state, &scope->orphans, &live->children);
	for (uint32_t s = live->scope; (group = own_group(scopes, live, s)); s = group->outer) {
		state_spend(scopes->state, 1);
		splice(scopes->state, &scope->orphans, &group->children);
		splice(scopes->state, &scope->orphans, &group->orphans);
	}
}

void scope_leave(struct scopes *scopes, const struct live *live)
{
	scopes->scope[live->home].n_running--;
}

void scope_complete(struct scopes *scopes, task_id task, task_id parent, uint32_t scope)
{
	struct scope *home = &scopes->scope[scope];
	struct live *live = state_live(scopes->state, parent);

	if (live)
		live->n_open--;
	if (!live || home->bag)
		list_push(scopes->state, &home->orphans, task);
	else
		list_push(scopes->state, home->owner == parent ? &home->children : &live->children,
			  task);
}

void scope_close(struct scopes *scopes, struct live *live)
{
	struct scope *inner = own_group(scopes, live, live->scope), *outer;

	if (!inner)
		return;
	outer = own_group(scopes, live, inner->outer);
	splice(scopes->state, outer ? &outer->children : &live->children, &inner->children);
	splice(scopes->state, &scopes->scope[inner->outer].orphans, &inner->orphans);
	live->scope = inner->outer;
}

void scope_give_up(struct scopes *scopes, uint32_t scope, struct list *done)
{
	struct scope *inner = &scopes->scope[scope];
	struct list *orphans = &scopes->scope[inner->outer].orphans;

	splice(scopes->state, orphans, done);
	splice(scopes->state, orphans, &inner->children);
	splice(scopes->state, orphans, &inner->orphans);
}

/* ---- joining ---- */

int scope_take(struct scopes *scopes, struct list *list)
{
	struct state *state = scopes->state;
	task_id task = list->head;
	int error = 0;

	while (task != NONE && !error) {
		if (!(state->task_flags[task] & BUILD_JOINED)) {
			state->task_flags[task] |= BUILD_JOINED;
			error = depend_edges_from(scopes->depend, task);
		}
		task = state->task_slot[task];
	}
	*list = (struct list){ NONE, NONE };
	return error;
}

int scope_take_all(struct scopes *scopes, uint32_t scope)
{
	int error = scope_take(scopes, &scopes->scope[scope].children);

	return error ? error : scope_take(scopes, &scopes->scope[scope].orphans);
}

int scope_take_children(struct scopes *scopes, struct live *live)
{
	struct scope *group;
	int error = scope_take(scopes, &live->children);

	for (uint32_t s = live->scope; !error && (group = own_group(scopes, live, s));
	     s = group->outer) {
		state_spend(scopes->state, 1);
		error = scope_take(scopes, &group->children);
	}
	return error;
}

int scope_take_groups(struct scopes *scopes, struct live *live)
{
	struct scope *group;
	int error = 0;

	for (uint32_t s = live->scope; !error && (group = own_group(scopes, live, s));
	     s = group->outer) {
		state_spend(scopes->state, 1);
		error = scope_take(scopes, &group->orphans);
	}
	return error;
}

int scope_take_group(struct scopes *scopes, struct live *live)
{
	uint32_t scope = live->scope;

	if (!own_group(scopes, live, scope))
		return scope_take_children(scopes, live);
	live->scope = scopes->scope[scope].outer;
	return scope_take_all(scopes, scope);
}
