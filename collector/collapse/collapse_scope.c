/* SPDX-License-Identifier: MIT */
/* collapse_scope.c - which children of a task a wait is for, and what the task's paths are then. */
#include "collector/collapse/collapse_scope.h"

#include "collector/collapse/collapse_end.h"

/* ---- scopes ---- */

/* The last n_new of the children that it has are of a further scope. */
static void open_scope(struct collapse *c, struct open_task *task, uint32_t n_new)
{
	if (c->n_scopes == SCOPES) {
		give_up(c);
		return;
	}
	c->scope[c->n_scopes] = task->scope;
	c->scope[c->n_scopes++].n_open -= n_new;
	task->n_scopes++;
	task->scope = (struct scope){ .n_open = n_new };
}

/* All children of the scope at hand are joined: back to the one that was left for it, if any. */
static void leave_scope(struct collapse *c, struct open_task *task)
{
	if (task->bag && c->by_bag[bag_slot(task->bag)].serial == task->serial)
		c->by_bag[bag_slot(task->bag)].bag = 0; /* nobody's until one is put in */
	if (!task->n_scopes)
		return;
	task->scope = c->scope[--c->n_scopes];
	task->n_scopes--;
}

/* Whether the task left a scope with that bag. */
static bool has_left(const struct collapse *c, const struct open_task *task, uint64_t bag)
{
	for (uint32_t i = 1; i <= task->n_scopes; i++)
		if (c->scope[c->n_scopes - i].bag == bag)
			return true;
	return false;
}

/* Whether another task on the stack may have tasks in the bag. */
static bool is_shared(const struct collapse *c, const struct open_task *task, uint64_t bag)
{
	uint32_t at = bag_slot(bag);
	const struct open_task *user = &c->open[c->by_bag[at].depth];

	return c->by_bag[at].bag == bag && user != task && user <= c->top &&
	       user->serial == c->by_bag[at].serial &&
	       user->n_open + user->n_unjoined + user->n_scopes > 0;
}

/* Whether there is no task in the bag that the innermost task, or one on this worker, put there. */
static bool is_empty(const struct collapse *c, const struct open_task *task, uint64_t bag)
{
	return task->bag != bag && c->by_bag[bag_slot(bag)].bag != bag &&
	       (!task->has_older || task->joined_bag == bag) && !has_left(c, task, bag);
}

void scope_put(struct collapse *c, uint64_t bag)
{
	uint32_t at = bag_slot(bag);
	struct open_task *task;

	if (!is_open(c))
		return;
	task = c->top;
	if (is_shared(c, task, bag)) {
		give_up(c);
		return;
	}
	if (task->bag != bag && task->n_open + task->n_unjoined > 1) {
		if (has_left(c, task, bag))
			give_up(c);
		else
			open_scope(c, task, 1);
		if (!is_open(c))
			return;
		c->child[task->created].n_scopes = task->n_scopes;
	}
	task->bag = bag;
	c->by_bag[at].bag = bag;
	c->by_bag[at].depth = (uint32_t)(task - c->open);
	c->by_bag[at].serial = task->serial;
}

void scope_begin_group(struct collapse *c)
{
	struct open_task *task;

	if (!is_open(c))
		return;
	task = c->top;
	if (task->ended_by != WIRE_NONE)
		give_up(c);
	else if (task->grouped || task->n_open || task->n_unjoined)
		open_scope(c, task, 0);
	if (is_open(c))
		task->grouped = true;
}

/* ---- joins ---- */

bool join_awaited(struct collapse *c, struct open_task *task, enum next_edge *edge)
{
	struct child *child;
	bool closes = true;

	*edge = NEXT_WAIT_CONT;
	task->n_waits++;
	task->n_waited++;
	switch (task->wait) {
	case 0: /* it was none */
		return true;
	case WIRE_WAIT_GROUP:
		if (!task->grouped)
			return false;
		task->grouped = false;
		break;
	case WIRE_WAIT_BAG:
		if (is_empty(c, task, task->object) && c->last == task->wait_began)
			return true;
		if (task->object != task->bag ||
		    (task->has_older && task->object != task->joined_bag))
			return false;
		closes = !task->grouped;
		break;
	case WIRE_WAIT_CHILDREN:
		if (task->n_scopes || task->has_older)
			return false;
		break;
	case WIRE_WAIT_NAMED:
		child = child_named(c, task->object);
		if (!child || child->creator != task->serial || child->n_scopes != task->n_scopes ||
		    child->state != CHILD_ENDED)
			return false;
		child->state = CHILD_JOINED;
		task->n_unjoined--;
		task->child_ended = child->when >= task->wait_began;
		*edge = join(task, child);
		return true;
	default:
		return false;
	}
	if (task->n_open)
		return false;
	*edge = join(task, NULL);
	task->n_unjoined = 0;
	task->join_span = task->join_chain = 0;
	task->inlines = false; /* its children run at its waits */
	if (closes)
		leave_scope(c, task);
	return true;
}

bool join_created(struct collapse *c, struct open_task *task, enum next_edge *edge)
{
	struct child *child = &c->child[task->created];

	*edge = NEXT_CREATE_CONT;
	if (task->continues)
		c->ready -= READY_CONTINUATION;
	task->continues = false;
	if (child->creator != task->serial)
		return false;
	if (!child->undeferred) /* one that may be stolen is between those that were run at once */
		return !task->inlines || (child->state != CHILD_CREATED && !task->stuck);
	if (child->state != CHILD_ENDED)
		return false;
	*edge = join(task, child);
	task->n_unjoined--;
	child->state = CHILD_JOINED;
	return true;
}
