/* SPDX-License-Identifier: MIT */
/* collapse_detail.c - what is said of tasks, and those that were collapsed before. */
#include "collector/collapse/collapse_detail.h"

#include "collector/collapse/collapse_scope.h"
#include "collector/collapse/collapse_tally.h"
#include "collector/collapse/collapse_part.h"

/* ---- what was collapsed before ---- */

/* Fields that are missing are 0, and the others come in the order of their numbers. */
static void on_collapsed(struct collapse *c, uint64_t b)
{
	unsigned field = collapsed_field(b);
	uint64_t value = collapsed_value(b);
	struct frame *frame;

	if (field == WIRE_COLLAPSED_MADE)
		c->n_ids += value;
	if (!is_open(c))
		return;
	frame = c->top;
	if (!frame->collapsed) {
		frame->collapsed = true;
		frame->inlines = frame->loose;
		frame->fields = n_intervals(c);
		c->span_before = frame->span + frame->own;
		c->chain_before = frame->chain;
	}
	note(c, c->at, ROW_COLLAPSED | ROW_STRANGE);
	if (field == WIRE_COLLAPSED_OWN) {
		frame->own += value;
		frame->below -= value;
		frame->span -= value;
		frame->path -= value;
	} else if (field == WIRE_COLLAPSED_WORK)
		frame->below += value;
	else if (field == WIRE_COLLAPSED_SPAN)
		frame->span += value;
	else if (field == WIRE_COLLAPSED_PATH)
		frame->path += value;
	else if (field == WIRE_COLLAPSED_CHAIN)
		frame->chain += (uint32_t)value;
	else if (field == WIRE_COLLAPSED_TASKS)
		frame->n_tasks += value;
	else if (field == WIRE_COLLAPSED_JOIN_SPAN || field == WIRE_COLLAPSED_JOIN_CHAIN)
		part_join(c, frame, field, value);
	else if (field == WIRE_COLLAPSED_CREATED)
		frame->n_created += (uint32_t)value;
	else if (field == WIRE_COLLAPSED_WAITED) {
		frame->n_waited += (uint32_t)value;
		frame->inlines = false;
	}
}

/* ---- what is said of tasks ---- */

static void on_name(struct collapse *c, uint64_t name)
{
	struct frame *frame;
	uint64_t id = id_make(c->worker, c->n_ids);

	if (is_open(c)) {
		frame = c->top;
		frame->names = true;
		c->child[frame->created].name = name;
		c->by_name[name_slot(name)] = (uint16_t)frame->created;
	} else if (child_of(c, id)) { /* of the task created just before, by whom we do not know */
		child_of(c, id)->name = name;
		c->by_name[name_slot(name)] = (uint16_t)(id & c->child_mask);
	}
}

void collapse_detail(struct collapse *c, const struct wire_event *event)
{
	switch (event_kind(event)) {
	case WIRE_TRACER: /* a long one stays where it was: no-work is the tracer's then */
		c->held = true;
		if (event->b > c->strand)
			give_up(c);
		break;
	case WIRE_COLLAPSED:
		on_collapsed(c, event->b);
		break;
	case WIRE_TALLY:
		if (!c->again)
			tally_hear(c, event->b);
		break;
	case WIRE_NAME:
		on_name(c, event->b);
		break;
	case WIRE_BAG:
		scope_put(c, event->b);
		break;
	case WIRE_GROUP:
		scope_begin_group(c);
		break;
	case WIRE_OBJECT:
		if (is_open(c))
			c->top->object = event->b;
		c->waiter_bag = event->b;
		break;
	case WIRE_NOWAIT:
		if (is_open(c))
			c->top->wait = 0;
		c->waiter = 0;
		break;
	case WIRE_LOST: /* who waited goes on behind the gap, and joins nothing there */
		c->waiter = 0;
		give_up(c);
		break;
	case WIRE_NEXT_ID:
		c->n_ids = event->b;
		give_up(c);
		break;
	default: /* so does WIRE_MOVED: this stream does not have all that the task did */
		give_up(c);
	}
}
