/* SPDX-License-Identifier: MIT */
/*
 * collapse_plain.c - hot path: plain events, one after the other.
 *
 * Every function here returns how many events it took, from the one at hand on, or 0 if they need a
 * closer look; then nothing has changed.
 *
 * collapse.c does all that is done here as well, one event at a time.  Twice, because most events
 * of most programs are of nine kinds in a few orders, and a worker thins in its own time: for
 * fib(22) of libgomp, `streams collapsed` (test/bench) takes 20.6 ns of CPU an event, and 27.7 with
 * limits->closely (medians of five).  test/collapse and test/fuzz/collapse.c hold both to the same
 * result.  A new rule goes to collapse.c; here it only has to be seen, so as to return 0:
 *
 *	create 0.2	plain_create(): no flags, no cut: taken, with ..
 *	resume 0.1	.. the strand that follows at once: 2
 *	create 0.3 if0	site_flags(): 0, collapse.c takes it
 *	wait children	plain_wait(): 1
 *	begin 0.2	plain_begin_id() finds its `end` next to it, and takes the leaf whole: 2
 *	end
 */
#include "collector/collapse/collapse_plain.h"

#include "collector/collapse/collapse_end.h"

/* The loop's own. */
struct plain {
	struct progress at;
	const struct wire_event *event, *end; /* at hand, and behind the last one */
};

/* How long it is since the last timed event. */
INLINED uint64_t since(const struct plain *p, uint64_t now)
{
	return now - p->at.last;
}

/* The number of the event at hand in the slice. */
INLINED uint32_t place_of(const struct collapse *c, const struct plain *p)
{
	return c->at + (uint32_t)(p->event - c->plain_from);
}

/* Whether a part of the innermost task, whose strand ends now, may be collapsed. */
INLINED bool may_cut(const struct plain *p, const struct open_task *task)
{
	return __builtin_expect(p->at.next_interval >= task->cut_from, 0) &&
	       !(task->n_open || task->n_scopes || task->grouped);
}

INLINED void end_plainly(struct plain *p, struct open_task *task, uint64_t now, enum wire_kind kind)
{
	note_at(&p->at, since(p, now), ROW_BUSY);
	task->own += since(p, now);
	task->ended_by = kind;
	p->at.last = now;
}

INLINED uint32_t plain_name(struct collapse *c, uint64_t name)
{
	struct open_task *task = c->top;

	task->names = true;
	c->child[task->created].name = name;
	c->by_name[name_slot(name)] = (uint16_t)task->created;
	return 1;
}

/* The task created last is in the bag of the others that the innermost task has. */
INLINED uint32_t plain_bag(struct collapse *c, uint64_t bag)
{
	uint32_t at = bag_slot(bag), depth = (uint32_t)(c->top - c->open);
	struct open_task *task = c->top;

	if (task->bag != bag && task->n_open + task->n_unjoined > 1)
		return 0;
	if (c->by_bag[at].bag == bag &&
	    (c->by_bag[at].depth != depth || c->by_bag[at].serial != task->serial))
		return 0;
	task->bag = bag;
	c->by_bag[at].bag = bag;
	c->by_bag[at].depth = depth;
	c->by_bag[at].serial = task->serial;
	return 1;
}

/* The kind of an event, if the slice has it. */
INLINED unsigned kind_at(const struct plain *p, const struct wire_event *event)
{
	return event < p->end ? event_kind(event) : WIRE_NONE;
}

/* What a task that was just created is called, and its bag: so many of the two follow. */
INLINED uint32_t plain_named(struct collapse *c, const struct plain *p,
			     const struct wire_event *next)
{
	uint32_t taken = kind_at(p, next) == WIRE_NAME ? plain_name(c, next->b) : 0;

	next += taken;
	return kind_at(p, next) == WIRE_BAG ? taken + plain_bag(c, next->b) : taken;
}

/* A task is created, and its creator goes on, mostly at once. */
INLINED uint32_t plain_create(struct collapse *c, struct plain *p)
{
	const struct wire_event *event = p->event;
	struct open_task *task = c->top;
	uint64_t now = event_ticks(event), then;
	uint32_t taken = 1;

	if (task->ended_by != WIRE_NONE || task->odd || site_flags(event->b) ||
	    since(p, now) > c->strand || may_cut(p, task))
		return 0;
	end_plainly(p, task, now, WIRE_CREATE);
	create_inside(c, &p->at, task, now, event->b, true);
	if (kind_at(p, event + 1) != WIRE_RESUME)
		taken += plain_named(c, p, event + 1);
	event += taken;
	if (task->inlines || kind_at(p, event) != WIRE_RESUME || event->b != task->id)
		return taken;
	then = event_ticks(event);
	if (since(p, then) > c->strand)
		return taken;
	note_at(&p->at, since(p, then), NEXT_CREATE_CONT);
	task->child_ended = false;
	task->ended_by = WIRE_NONE;
	p->at.last = then;
	c->waiter = 0;
	return taken + 1;
}

/* The task's own next strand begins after it created one. */
INLINED uint32_t plain_return(struct collapse *c, struct plain *p, struct open_task *task,
			      uint64_t now)
{
	const struct child *child = &c->child[task->created];

	if (child->creator != task->serial || child->undeferred ||
	    (task->inlines && (child->state == CHILD_CREATED || task->stuck)))
		return 0;
	if (task->continues)
		p->at.ready -= READY_CONTINUATION;
	task->continues = false;
	note_at(&p->at, since(p, now), NEXT_CREATE_CONT);
	return 1;
}

/* .. after it waited for all children, or for those of a bag. */
INLINED uint32_t plain_joined(struct collapse *c, struct plain *p, struct open_task *task,
			      uint64_t now)
{
	uint32_t wait = (uint32_t)task->wait;

	if (task->n_open || task->n_scopes || task->has_older || task->grouped)
		return 0;
	if (wait == WIRE_WAIT_BAG ? task->object != task->bag : wait != WIRE_WAIT_CHILDREN)
		return 0;
	if (task->bag && c->by_bag[bag_slot(task->bag)].serial == task->serial)
		c->by_bag[bag_slot(task->bag)].bag = 0; /* as leave_scope() */
	task->n_waits++;
	task->n_waited++;
	note_at(&p->at, since(p, now), join(task, NULL));
	task->n_unjoined = 0;
	task->join_span = task->join_chain = 0;
	if (task->inlines)
		task->inlines = false;
	return 1;
}

/* .. after it waited for one child, which has ended. */
INLINED uint32_t plain_joined_one(struct collapse *c, struct plain *p, struct open_task *task,
				  uint64_t now)
{
	struct child *child = child_named(c, task->object);

	if (!child || child->creator != task->serial || child->n_scopes != task->n_scopes ||
	    child->state != CHILD_ENDED)
		return 0;
	task->n_waits++;
	task->n_waited++;
	child->state = CHILD_JOINED;
	task->n_unjoined--;
	task->child_ended = child->when >= task->wait_began;
	note_at(&p->at, since(p, now), join(task, child));
	return 1;
}

INLINED uint32_t plain_resume(struct collapse *c, struct plain *p)
{
	struct open_task *task = c->top;
	uint64_t now = event_ticks(p->event);
	uint32_t taken = 0;

	if (p->event->b != task->id || since(p, now) > c->strand)
		return 0;
	if (task->ended_by == WIRE_CREATE)
		taken = plain_return(c, p, task, now);
	else if (task->ended_by == WIRE_WAIT && task->wait == WIRE_WAIT_NAMED)
		taken = plain_joined_one(c, p, task, now);
	else if (task->ended_by == WIRE_WAIT)
		taken = plain_joined(c, p, task, now);
	if (!taken)
		return 0;
	task->child_ended = false;
	task->ended_by = WIRE_NONE;
	p->at.last = now;
	c->waiter = 0;
	return taken;
}

/* What the innermost task waits for. */
INLINED uint32_t plain_object(struct collapse *c, uint64_t object)
{
	c->top->object = c->waiter_bag = object;
	return 1;
}

INLINED uint32_t plain_wait(struct collapse *c, struct plain *p)
{
	struct open_task *task = c->top;
	uint64_t now = event_ticks(p->event);
	uint32_t flags = site_flags(p->event->b);
	uint8_t what = (uint8_t)flags;

	if (task->ended_by != WIRE_NONE || task->collapsed || since(p, now) > c->strand ||
	    may_cut(p, task))
		return 0;
	end_plainly(p, task, now, WIRE_WAIT);
	if (what == WIRE_WAIT_CHILDREN || what == WIRE_WAIT_BAG) {
		c->waiter = task->id;
		c->waiter_bag = 0;
	}
	task->wait = flags;
	task->object = 0;
	task->wait_began = now;
	task->child_ended = false;
	if (kind_at(p, p->event + 1) != WIRE_OBJECT)
		return 1;
	return 1 + plain_object(c, p->event[1].b);
}

/* A child of the innermost task begins and ends, and does nothing of note: half of all mostly. */
INLINED uint32_t plain_leaf(struct collapse *c, struct plain *p, struct open_task *task,
			    struct child *child, uint64_t begin, uint64_t end)
{
	uint64_t dt = end - begin;
	struct ran ran = { begin, dt, dt, dt, 0, 0, 0 };

	if (dt > c->strand || dt > c->task)
		return 0;
	ran.tally = tally_of(c, child->site);
	if (!ran.tally)
		return 0;
	leave_for_child(c, &p->at, task, child, begin);
	note_at(&p->at, dt, ROW_BUSY);
	task->below += dt;
	end_child(&p->at, task, child, &ran, end);
	p->at.last = end;
	return 2;
}

/* A child of the innermost task begins; so many ids are given out for that. */
INLINED uint32_t plain_begin(struct collapse *c, struct plain *p, struct child *child,
			     uint32_t n_ids)
{
	const struct wire_event *next = p->event + 1;
	struct open_task *task = c->top;
	uint64_t now = event_ticks(p->event), id = p->event->b;

	if (child->whose != task->whose || child->state != CHILD_CREATED ||
	    child->n_scopes != task->n_scopes ||
	    (task->ended_by != WIRE_WAIT && task->ended_by != WIRE_CREATE) || task->maybe_final ||
	    since(p, now) > c->strand || task == c->highest)
		return 0;
	if (next < p->end && event_kind(next) == WIRE_END) {
		uint32_t taken = plain_leaf(c, p, task, child, now, event_ticks(next));

		p->at.n_ids += taken ? n_ids : 0;
		return taken;
	}
	leave_for_child(c, &p->at, task, child, now);
	p->at.n_ids += n_ids;
	if (n_ids)
		id = id_make(c->worker, p->at.n_ids);
	push(c, &p->at, child, id, now, place_of(c, p));
	p->at.last = now;
	return 1;
}

INLINED uint32_t plain_begin_id(struct collapse *c, struct plain *p)
{
	struct child *child = &c->child[p->event->b & c->child_mask];

	return child->id == p->event->b ? plain_begin(c, p, child, 0) : 0;
}

INLINED uint32_t plain_begin_named(struct collapse *c, struct plain *p)
{
	struct child *child = &c->child[c->by_name[name_slot(p->event->b)]];

	return child->name == p->event->b ? plain_begin(c, p, child, 1) : 0;
}

/* The innermost task ends, and becomes a part of the one below it. */
INLINED uint32_t plain_end(struct collapse *c, struct plain *p)
{
	struct open_task *task = c->top;
	const struct child *child = &c->child[task->child];
	uint64_t now = event_ticks(p->event);
	uint32_t tally;

	if (task->ended_by != WIRE_NONE || task->collapsed || task == c->bottom ||
	    since(p, now) > c->strand)
		return 0;
	if ((task->n_open | task->n_unjoined | task->n_scopes) || task->grouped || task->partial ||
	    now - task->begin > c->task || child->id != task->child_id)
		return 0;
	tally = tally_of(c, child->site);
	if (!tally)
		return 0;
	end_plainly(p, task, now, WIRE_END);
	if (n_within(c, &p->at, task) > c->least)
		close_whole(c, &p->at, place_of(c, p));
	c->top--;
	merge(c, &p->at, c->top, task, tally, now);
	return 1;
}

INLINED uint32_t plain_event(struct collapse *c, struct plain *p)
{
	switch (event_kind(p->event)) {
	case WIRE_CREATE:
		return plain_create(c, p);
	case WIRE_RESUME:
		return plain_resume(c, p);
	case WIRE_WAIT:
		return plain_wait(c, p);
	case WIRE_BEGIN:
		return plain_begin_id(c, p);
	case WIRE_START:
		return plain_begin_named(c, p);
	case WIRE_END:
		return plain_end(c, p);
	case WIRE_NAME:
		return plain_name(c, p->event->b);
	case WIRE_BAG:
		return plain_bag(c, p->event->b);
	case WIRE_OBJECT:
		return plain_object(c, p->event->b);
	default:
		return 0;
	}
}

uint32_t collapse_plain(struct collapse *c, const struct wire_event *first, uint32_t n)
{
	struct plain p = { .at = c->progress, .event = first, .end = first + n };

	c->plain_from = first;
	while (p.event < p.end) {
		uint32_t taken = plain_event(c, &p);

		if (!taken)
			break;
		p.event += taken;
	}
	c->progress = p.at;
	c->at += (uint32_t)(p.event - first);
	return (uint32_t)(p.event - first);
}
