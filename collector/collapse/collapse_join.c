/* SPDX-License-Identifier: MIT */
/* collapse_join.c - what a task joins where it goes on, and what its paths are then. */
#include "collector/collapse/collapse_join.h"

#include "collector/collapse/collapse_scope.h"
#include "collector/collapse/collapse_task.h"

bool join_awaited(struct collapse *c, struct frame *frame, enum next_edge *edge)
{
	struct child *child;
	bool closes = true;

	*edge = NEXT_WAIT_CONT;
	frame->n_waits++;
	frame->n_waited++;
	switch (frame->wait) {
	case 0: /* it was none */
		return true;
	case WIRE_WAIT_GROUP:
		if (!frame->grouped)
			return false;
		frame->grouped = false;
		break;
	case WIRE_WAIT_BAG:
		if (scope_is_empty(c, frame, frame->object) && c->last == frame->wait_began)
			return true;
		if (frame->object != frame->bag ||
		    (frame->has_older && frame->object != frame->joined_bag))
			return false;
		closes = !frame->grouped;
		break;
	case WIRE_WAIT_CHILDREN:
		if (frame->n_scopes || frame->has_older)
			return false;
		break;
	case WIRE_WAIT_NAMED:
		child = child_named(c, frame->object);
		if (!child || child->creator != frame->serial ||
		    child->n_scopes != frame->n_scopes || child->state != CHILD_ENDED)
			return false;
		child->state = CHILD_JOINED;
		frame->n_unjoined--;
		frame->child_ended = child->when >= frame->wait_began;
		*edge = join(frame, child);
		return true;
	default:
		return false;
	}
	if (frame->n_open)
		return false;
	*edge = join(frame, NULL);
	frame->n_unjoined = 0;
	frame->join_span = frame->join_chain = 0;
	frame->inlines = false; /* its children run at its waits */
	if (closes)
		scope_join(c, frame);
	return true;
}

bool join_created(struct collapse *c, struct frame *frame, enum next_edge *edge)
{
	struct child *child = &c->child[frame->created];

	*edge = NEXT_CREATE_CONT;
	if (frame->continues)
		c->ready -= READY_CONTINUATION;
	frame->continues = false;
	if (child->creator != frame->serial)
		return false;
	if (!child->undeferred) /* one that may be stolen is between those that were run at once */
		return !frame->inlines || (child->state != CHILD_CREATED && !frame->stuck);
	if (child->state != CHILD_ENDED)
		return false;
	*edge = join(frame, child);
	frame->n_unjoined--;
	child->state = CHILD_JOINED;
	return true;
}
