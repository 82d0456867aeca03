/* SPDX-License-Identifier: MIT */
/* collapse_join.c - what a task joins where it goes on, and what its paths are then. */
#include "collector/collapse/collapse_join.h"

#include "collector/collapse/collapse_scope.h"
#include "collector/collapse/collapse_end.h"

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
		if (scope_is_empty(c, task, task->object) && c->last == task->wait_began)
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
		scope_join(c, task);
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
