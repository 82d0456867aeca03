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
	struct open_task *task;

	if (field == WIRE_COLLAPSED_MADE)
		c->n_ids += value;
	if (!is_open(c))
		return;
	task = c->top;
	if (!task->collapsed) {
		task->collapsed = true;
		task->inlines = task->partial;
		task->fields = n_intervals(c, &c->progress);
		c->span_before = task->span + task->own;
		c->chain_before = task->chain;
	}
	note(c, c->at, ROW_COLLAPSED | ROW_STRANGE);
	if (field == WIRE_COLLAPSED_OWN) {
		task->own += value;
		task->below -= value;
		task->span -= value;
		task->path -= value;
	} else if (field == WIRE_COLLAPSED_WORK)
		task->below += value;
	else if (field == WIRE_COLLAPSED_SPAN)
		task->span += value;
	else if (field == WIRE_COLLAPSED_PATH)
		task->path += value;
	else if (field == WIRE_COLLAPSED_CHAIN)
		task->chain += (uint32_t)value;
	else if (field == WIRE_COLLAPSED_TASKS)
		task->n_tasks += value;
	else if (field == WIRE_COLLAPSED_JOIN_SPAN || field == WIRE_COLLAPSED_JOIN_CHAIN)
		part_join(c, task, field, value);
	else if (field == WIRE_COLLAPSED_CREATED)
		task->n_created += (uint32_t)value;
	else if (field == WIRE_COLLAPSED_WAITED) {
		task->n_waited += (uint32_t)value;
		task->inlines = false;
	}
}

/* ---- what is said of tasks ---- */

static void on_name(struct collapse *c, uint64_t name)
{
	struct open_task *task;
	uint64_t id = id_make(c->worker, c->n_ids);

	if (is_open(c)) {
		task = c->top;
		task->names = true;
		c->child[task->created].name = name;
		c->by_name[name_slot(name)] = (uint16_t)task->created;
	} else if (child_of(c, id)) { /* of the task created just before, by whom we do not know */
		child_of(c, id)->name = name;
		c->by_name[name_slot(name)] = (uint16_t)(id & c->child_mask);
	}
}

void collapse_detail(struct collapse *c, const struct wire_event *event)
{
	switch (event_kind(event)) {
	case WIRE_TRACER: /* a long one stays where it was: no-work is the tracer's then */
		c->held = c->at + 1;
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
