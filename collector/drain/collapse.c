/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - one pass over a slice of events, with a stack of the tasks that are open.
 *
 * rewrite.c looks back over what is about to be collapsed, once for each event.
 */
#include "collector/drain/collapse.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/collapse_state.h"
#include "collector/drain/collapse_scope.h"
#include "collector/drain/rewrite.h"
#include "collector/drain/collapse_tally.h"

#define CHILDREN 8192u /* of a collector's own */

size_t collapse_bytes(struct collapse_size size)
{
	return sizeof(struct collapse) + size.n_children * sizeof(struct child) +
	       size.n_sites * sizeof(struct collapse_tally);
}

struct collapse *collapse_make(void *memory, struct collapse_size size)
{
	struct collapse *c = memory;

	c->child = (struct child *)(c + 1);
	c->child_mask = size.n_children - 1;
	c->tally = (struct collapse_tally *)(c->child + size.n_children);
	c->tally_room = size.n_sites;
	return c;
}

struct collapse *collapse_new(void)
{
	const struct collapse_size size = { .n_children = CHILDREN, .n_sites = COLLAPSE_TALLIES };
	void *memory = calloc(1, collapse_bytes(size));

	return memory ? collapse_make(memory, size) : NULL;
}

void collapse_free(struct collapse *collapse)
{
	free(collapse);
}

/* ---- the stack ---- */

static inline void copy(struct collapse *c, const struct wire_event *event)
{
	*c->out++ = *event;
}

/* A strand of the innermost task ends.  False if nothing is open any more. */
static bool end_strand(struct collapse *c, uint64_t now, enum wire_kind kind)
{
	struct frame *frame;
	uint64_t dt = now - c->last;

	if (!is_open(c))
		return false;
	frame = c->top;
	if (frame->ended_by != WIRE_NONE || dt > c->limits->strand) {
		give_up(c);
		return false;
	}
	note(c, 0, dt, 0);
	frame->own += dt;
	frame->work += dt;
	frame->span += dt;
	frame->path += dt;
	frame->ended_by = (uint8_t)kind;
	return true;
}

/* ---- children ---- */

static void on_create(struct collapse *c, uint64_t now, uint64_t b)
{
	const uint32_t flags = site_flags(b);
	const uint32_t strange = WIRE_TASK_DETACHED | WIRE_TASK_EMPTY | WIRE_TASK_GLOBAL;
	bool inside = end_strand(c, now, WIRE_CREATE);
	uint64_t id = id_make(c->worker, ++c->n_ids);
	struct child *child = &c->child[id & c->child_mask];

	*child = (struct child){ .id = id, .slice = c->slice, .site = (uint32_t)b, .when = now };
	child->state = flags & strange ? CHILD_GONE : CHILD_CREATED;
	child->final = flags & WIRE_TASK_FINAL;
	child->undeferred = flags & WIRE_TASK_UNDEFERRED;
	child->maybe_final = c->limits->final_tasks;
	if (!inside)
		return;
	if (flags & strange) {
		give_up(c);
		return;
	}
	struct frame *frame = c->top;

	child->creator = frame->serial;
	child->final = frame->final || flags & WIRE_TASK_FINAL;
	child->maybe_final = frame->maybe_final;
	child->undeferred = frame->final || flags & WIRE_TASK_UNDEFERRED;
	child->span = frame->span;
	child->path = frame->path;
	child->chain = frame->chain;
	child->n_scopes = frame->n_scopes;
	frame->created = (uint32_t)(id & c->child_mask);
	frame->n_open++;
	c->n_created++;
}

/* memset() of so much that the compiler would call it, or use a slow instruction. */
static inline void clear(struct frame *frame)
{
	typedef uint64_t piece __attribute__((vector_size(16), may_alias));
	piece *at = (piece *)frame;

	_Static_assert(sizeof(*frame) % (2 * sizeof(piece)) == 0, "cleared in pairs");
	for (size_t i = 0; i < sizeof(*frame) / sizeof(piece); i += 2)
		at[i] = at[i + 1] = (piece){ 0 };
}

static void push(struct collapse *c, struct child *child, uint64_t id, uint64_t now)
{
	struct frame *frame = ++c->top;

	clear(frame);
	frame->serial = ++c->serial;
	frame->out = c->out;
	frame->pending = c->n_pending;
	frame->id = id;
	frame->begin = now;
	frame->n_ids = c->n_ids;
	frame->n_created = c->n_created;
	frame->n_continuations = c->n_continuations;
	frame->ready[0] = c->ready[0];
	frame->ready[1] = c->ready[1];
	frame->maybe_final = child ? child->maybe_final : c->limits->final_tasks;
	if (child) {
		frame->child = (uint32_t)(child - c->child);
		frame->child_id = child->id;
		frame->final = child->final;
		child->state = CHILD_RUNS;
	}
}

/* A child that begins at once is undeferred if its creator is below a final task. */
static bool may_be_undeferred(const struct frame *frame, const struct child *child)
{
	return frame->maybe_final && !frame->final && frame->ended_by == WIRE_CREATE &&
	       !child->undeferred;
}

static inline bool begins_inside(const struct collapse *c, const struct frame *frame,
				 const struct child *child, uint64_t now)
{
	return child && now - c->last <= c->limits->strand && child->state == CHILD_CREATED &&
	       child->creator == frame->serial && child->n_scopes == frame->n_scopes &&
	       frame->ended_by != WIRE_NONE && frame->ended_by != WIRE_YIELD &&
	       c->top < c->frame + DEPTH && !may_be_undeferred(frame, child);
}

/* A child of the innermost task is what its worker goes on with. */
static inline void leave_for_child(struct collapse *c, struct frame *frame,
				   const struct child *child, uint64_t now)
{
	c->n_created--;
	if (frame->ended_by == WIRE_CREATE && !child->undeferred && !frame->continues) {
		frame->continues = true;
		c->n_continuations++;
	}
	note(c, 0, now - c->last, NEXT_CREATE);
}

/* A task begins on top of the innermost, if that created it; else what is open is given up. */
static void on_begin(struct collapse *c, struct child *child, uint64_t id, uint64_t now)
{
	if (child && child->state != CHILD_CREATED)
		child = NULL;
	if (is_open(c) && begins_inside(c, c->top, child, now))
		leave_for_child(c, c->top, child, now);
	else
		give_up(c);
	push(c, child, id, now);
}

/* ---- waits ---- */

/* The task's own last strand, or the child that ended last, released what comes now. */
static enum next_edge join(struct frame *frame, const struct child *one)
{
	uint64_t span = one ? one->span : frame->join_span;
	uint32_t chain = one ? one->chain : frame->join_chain;

	if (span > frame->span)
		frame->span = span;
	if (chain > frame->chain)
		frame->chain = chain;
	if (!frame->child_ended)
		return NEXT_WAIT_CONT;
	frame->path = one ? one->path : frame->last_path;
	return NEXT_JOIN;
}

/* The innermost task's wait is over.  False if that is not plain. */
static bool end_wait(struct collapse *c, struct frame *frame, enum next_edge *edge)
{
	struct child *child;
	bool closes = true;

	*edge = NEXT_WAIT_CONT;
	frame->n_waits++;
	switch (frame->wait) {
	case 0: /* it was none */
		return true;
	case WIRE_WAIT_GROUP:
		if (!frame->grouped)
			return false;
		frame->grouped = false;
		break;
	case WIRE_WAIT_BAG:
		if (frame->object != frame->bag)
			return false;
		closes = !frame->grouped;
		break;
	case WIRE_WAIT_CHILDREN:
		if (frame->n_scopes)
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
	if (closes)
		scope_join(c, frame);
	return true;
}

static void on_resume(struct collapse *c, uint64_t id, uint64_t now)
{
	enum next_edge edge = NEXT_WAIT_CONT;
	struct frame *frame;
	bool plain = true;

	if (!is_open(c))
		return;
	frame = c->top;
	if (frame->id != id || frame->ended_by == WIRE_NONE || now - c->last > c->limits->strand) {
		give_up(c);
		return;
	}
	if (frame->ended_by == WIRE_CREATE) {
		struct child *child = &c->child[frame->created];

		edge = NEXT_CREATE_CONT;
		if (frame->continues)
			c->n_continuations--;
		frame->continues = false;
		plain = child->creator == frame->serial;
		if (plain && child->undeferred) {
			plain = child->state == CHILD_ENDED;
			edge = join(frame, child);
			frame->n_unjoined--;
			child->state = CHILD_JOINED;
		}
	} else if (frame->ended_by == WIRE_WAIT) {
		plain = end_wait(c, frame, &edge);
	} else { /* after a yield: who knows where it was meanwhile */
		plain = false;
	}
	if (!plain) {
		give_up(c);
		return;
	}
	note(c, 0, now - c->last, edge);
	frame->child_ended = false;
	frame->ended_by = WIRE_NONE;
}

static void on_wait(struct collapse *c, uint64_t now, uint64_t b)
{
	if (!end_strand(c, now, WIRE_WAIT))
		return;
	c->top->wait = site_flags(b);
	c->top->object = 0;
	c->top->wait_began = now;
	c->top->child_ended = false;
}

/* ---- the end ---- */

/* The sums of a task at its end. */
struct ran {
	uint64_t begin, own, span, path, n_tasks;
	uint32_t chain;
};

/* A child is over: what can be joined of it. */
static inline void end_child(struct collapse *c, struct frame *creator, struct child *child,
			     const struct ran *ran, uint64_t now)
{
	child->state = CHILD_ENDED;
	child->span += ran->span;
	child->path += ran->path;
	child->chain += ran->chain + 1;
	if (child->span > creator->join_span)
		creator->join_span = child->span;
	if (child->chain > creator->join_chain)
		creator->join_chain = child->chain;
	creator->last_path = child->path;
	creator->child_ended = true;
	creator->n_open--;
	creator->n_unjoined++;
	creator->n_tasks += ran->n_tasks + 1;
	c->pending[c->n_pending++] =
		(struct pending){ ran->own, ran->begin - child->when, child->site };
	child->when = now;
}

/* The innermost task's figures become part of those of the one that it ran on top of. */
static void merge(struct collapse *c, const struct frame *frame, uint64_t now)
{
	struct frame *below = c->top;
	struct ran ran = { frame->begin, frame->own,	 frame->span,
			   frame->path,	 frame->n_tasks, frame->chain };

	below->work += frame->work;
	below->n_waits += frame->n_waits;

	end_child(c, below, &c->child[frame->child], &ran, now);
}

/* Whether it can be collapsed, and so can be what it ran on top of. */
static bool is_closed(struct collapse *c, const struct frame *frame, uint64_t now)
{
	const struct child *child = &c->child[frame->child];

	if (frame->n_open || frame->n_unjoined || frame->n_scopes || frame->grouped ||
	    now - frame->begin > c->limits->task)
		return false;
	return frame == c->frame + 1 || (child->id == frame->child_id && child->slice == c->slice &&
					 tally_has_room(c, child->site));
}

/*
 * Hot path: a task that does nothing of note, whose END follows its BEGIN: half of all tasks
 * mostly. False if it needs a closer look.
 */
static bool on_leaf(struct collapse *c, struct child *child, uint64_t begin, uint64_t end)
{
	struct frame *frame = c->top;
	uint64_t dt = end - begin;
	struct ran ran = { begin, dt, dt, dt, 0, 0 };

	if (!is_open(c) || !begins_inside(c, frame, child, begin) || dt > c->limits->strand ||
	    dt > c->limits->task || !tally_has_room(c, child->site))
		return false;
	leave_for_child(c, frame, child, begin);
	note(c, 1, dt, 0);
	frame->work += dt;
	end_child(c, frame, child, &ran, end);
	return true;
}

static void on_end(struct collapse *c, uint64_t now)
{
	bool collapsed = is_open(c) && c->top->collapsed,
	     inside = collapsed || end_strand(c, now, WIRE_END);

	if (collapsed)
		note(c, 0, now - c->last, 0);
	if (inside && !is_closed(c, c->top, now)) {
		give_up(c);
	} else if (inside) {
		struct frame *frame = c->top;

		if (!frame->collapsed && c->out - frame->out > (ptrdiff_t)c->limits->least)
			rewrite(c, frame, now);
		c->top--;
		if (is_open(c))
			merge(c, frame, now);
		else
			c->n_pending = 0;
	}
}

/* ---- what was collapsed before ---- */

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
	frame->collapsed = true;
	if (field == WIRE_COLLAPSED_READY || field == WIRE_COLLAPSED_READY + 1)
		c->ready[field - WIRE_COLLAPSED_READY] += value;
	else if (field == WIRE_COLLAPSED_OWN)
		frame->own = value;
	else if (field == WIRE_COLLAPSED_WORK)
		frame->work = value;
	else if (field == WIRE_COLLAPSED_SPAN)
		frame->span = value;
	else if (field == WIRE_COLLAPSED_PATH)
		frame->path = value;
	else if (field == WIRE_COLLAPSED_CHAIN)
		frame->chain = (uint32_t)value;
	else if (field == WIRE_COLLAPSED_TASKS)
		frame->n_tasks = value;
}

/* ---- what is said of tasks ---- */

static void on_name(struct collapse *c, uint64_t name)
{
	struct frame *frame;
	uint64_t id = id_make(c->worker, c->n_ids);

	if (is_open(c)) {
		frame = c->top;
		c->child[frame->created].name = name;
		c->by_name[name_slot(name)] = (uint16_t)frame->created;
	} else if (child_of(c, id)) { /* of the task created just before, by whom we do not know */
		child_of(c, id)->name = name;
		c->by_name[name_slot(name)] = (uint16_t)(id & c->child_mask);
	}
}

static void take_detail(struct collapse *c, const struct wire_event *event)
{
	switch (event_kind(event)) {
	case WIRE_TRACER: /* a long one stays where it was: no-work is the tracer's then */
		if (event->b <= c->limits->strand) {
			c->held += event->b;
			return;
		}
		give_up(c);
		break;
	case WIRE_COLLAPSED:
		on_collapsed(c, event->b);
		break;
	case RING_TALLY:
		tally_take(c, event);
		return;
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
		break;
	case WIRE_NOWAIT:
		if (is_open(c))
			c->top->wait = 0;
		break;
	case WIRE_NEXT_ID:
		c->n_ids = event->b;
		give_up(c);
		break;
	default: /* so does WIRE_MOVED: this stream does not have all that the task did */
		give_up(c);
	}
	copy(c, event);
}

/* Takes a timed event, and the one after it if that is its end: how many. */
static inline uint32_t take_timed(struct collapse *c, const struct wire_event *event,
				  const struct wire_event *next)
{
	uint64_t now = event_ticks(event), id = event->b;
	struct child *child;

	switch (event_kind(event)) {
	case WIRE_CREATE:
		on_create(c, now, event->b);
		break;
	case WIRE_BEGIN:
	case WIRE_START:
		if (event_kind(event) == WIRE_START) {
			id = id_make(c->worker, ++c->n_ids);
			child = child_named(c, event->b);
		} else {
			child = child_of(c, id);
		}
		if (next && event_kind(next) == WIRE_END &&
		    on_leaf(c, child, now, event_ticks(next))) {
			copy(c, event);
			copy(c, next);
			c->last = event_ticks(next);
			return 2;
		}
		on_begin(c, child, id, now);
		break;
	case WIRE_RESUME:
		on_resume(c, event->b, now);
		break;
	case WIRE_WAIT:
		on_wait(c, now, event->b);
		break;
	case WIRE_YIELD:
		end_strand(c, now, WIRE_YIELD);
		break;
	case WIRE_END:
		*c->out = *event;
		on_end(c, now);
		break;
	case WIRE_ROOT:
	case WIRE_MEMBER:
	case WIRE_FORK:
		c->n_ids++; /* fall through */
	default:
		give_up(c);
	}
	copy(c, event);
	c->last = now;
	return 1;
}

static void take_all(struct collapse *c, const struct wire_event *event, uint32_t n)
{
	const struct wire_event *end = event + n;

	while (event < end) {
		if (kind_timed(event_kind(event)))
			event += take_timed(c, event, event + 1 < end ? event + 1 : NULL);
		else
			take_detail(c, event++);
	}
}

uint32_t collapse_run(struct collapse *c, struct collapse_source *source,
		      const struct collapse_limits *limits, struct wire_event *out)
{
	uint64_t first = source->first & source->mask, behind = source->mask - first;
	uint32_t n = behind < source->n ? (uint32_t)behind + 1 : source->n;

	c->limits = limits;
	c->first = c->out = out;
	c->held = 0;
	c->worker = source->worker;
	c->n_ids = source->n_ids;
	c->slice++;
	give_up(c);
	take_all(c, &source->slot[first], n);
	take_all(c, source->slot, source->n - n);
	while (c->held) { /* no more than were taken out; short, so that they may be again */
		uint64_t held = c->held < limits->strand ? c->held : limits->strand;

		*c->out++ = (struct wire_event){ WIRE_TRACER, held };
		c->held -= held;
	}
	source->n_ids = c->n_ids;
	return (uint32_t)(c->out - out);
}
