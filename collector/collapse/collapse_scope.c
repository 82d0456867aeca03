/* SPDX-License-Identifier: MIT */
/* collapse_scope.c - which children of a task a wait is for, where not all of them. */
#include "collector/collapse/collapse_scope.h"

/* The last n_new of the children that it has are of a further scope. */
static void open_scope(struct collapse *c, struct frame *frame, uint32_t n_new)
{
	if (c->n_scopes == SCOPES) {
		give_up(c);
		return;
	}
	c->scope[c->n_scopes++] = (struct scope){ .bag = frame->bag,
						  .join_span = frame->join_span,
						  .n_open = frame->n_open - n_new,
						  .n_unjoined = frame->n_unjoined,
						  .join_chain = frame->join_chain,
						  .grouped = frame->grouped };
	frame->n_scopes++;
	frame->n_open = n_new;
	frame->n_unjoined = frame->join_chain = 0;
	frame->join_span = frame->bag = 0;
	frame->grouped = false;
}

void scope_join(struct collapse *c, struct frame *frame)
{
	const struct scope *scope;

	if (frame->bag && c->by_bag[bag_slot(frame->bag)].serial == frame->serial)
		c->by_bag[bag_slot(frame->bag)].bag = 0; /* nobody's until one is put in */
	if (!frame->n_scopes)
		return;
	scope = &c->scope[--c->n_scopes];
	frame->n_scopes--;
	frame->bag = scope->bag;
	frame->join_span = scope->join_span;
	frame->n_open = scope->n_open;
	frame->n_unjoined = scope->n_unjoined;
	frame->join_chain = scope->join_chain;
	frame->grouped = scope->grouped;
}

/* Whether the task left a scope with that bag. */
static bool has_left(const struct collapse *c, const struct frame *frame, uint64_t bag)
{
	for (uint32_t i = 1; i <= frame->n_scopes; i++)
		if (c->scope[c->n_scopes - i].bag == bag)
			return true;
	return false;
}

/* Whether another task on the stack may have tasks in the bag. */
static bool is_shared(const struct collapse *c, const struct frame *frame, uint64_t bag)
{
	uint32_t at = bag_slot(bag);
	const struct frame *user = &c->frame[c->by_bag[at].depth];

	return c->by_bag[at].bag == bag && user != frame && user <= c->top &&
	       user->serial == c->by_bag[at].serial &&
	       user->n_open + user->n_unjoined + user->n_scopes > 0;
}

bool scope_is_empty(const struct collapse *c, const struct frame *frame, uint64_t bag)
{
	return frame->bag != bag && c->by_bag[bag_slot(bag)].bag != bag &&
	       (!frame->has_older || frame->joined_bag == bag) && !has_left(c, frame, bag);
}

void scope_put(struct collapse *c, uint64_t bag)
{
	uint32_t at = bag_slot(bag);
	struct frame *frame;

	if (!is_open(c))
		return;
	frame = c->top;
	if (is_shared(c, frame, bag)) {
		give_up(c);
		return;
	}
	if (frame->bag != bag && frame->n_open + frame->n_unjoined > 1) {
		if (has_left(c, frame, bag))
			give_up(c);
		else
			open_scope(c, frame, 1);
		if (!is_open(c))
			return;
		c->child[frame->created].n_scopes = frame->n_scopes;
	}
	frame->bag = bag;
	c->by_bag[at].bag = bag;
	c->by_bag[at].depth = (uint32_t)(frame - c->frame);
	c->by_bag[at].serial = frame->serial;
}

void scope_begin_group(struct collapse *c)
{
	struct frame *frame;

	if (!is_open(c))
		return;
	frame = c->top;
	if (frame->ended_by != WIRE_NONE)
		give_up(c);
	else if (frame->grouped || frame->n_open || frame->n_unjoined)
		open_scope(c, frame, 0);
	if (is_open(c))
		frame->grouped = true;
}
