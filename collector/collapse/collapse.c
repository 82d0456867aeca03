/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - one pass over a slice of events, with a stack of the tasks that are open.
 *
 * It finds the tasks that can be collapsed; rewrite.c then writes the slice without what is in
 * them, and looks at each event once more for that.
 */
#include "collector/collapse/collapse.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/collapse/collapse_end.h"
#include "collector/collapse/collapse_part.h"
#include "collector/collapse/collapse_plain.h"
#include "collector/collapse/collapse_scope.h"
#include "collector/collapse/collapse_state.h"
#include "collector/collapse/collapse_tally.h"
#include "collector/collapse/rewrite.h"

#define CHILDREN 8192u /* of a collector's own */
#define STUCK 160u     /* intervals of a stuck task that are looked at as before (stuck_since()) */

size_t collapse_bytes(struct collapse_size size)
{
	size_t bytes = sizeof(struct collapse) + size.n_children * sizeof(struct child) +
		       size.n_sites * sizeof(struct collapse_tally);

	return (bytes + 63) & ~(size_t)63;
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

static const struct collapse_size own_size = { .n_children = CHILDREN, .n_sites = TALLIES };

struct collapse *collapse_new(void)
{
	void *memory = mmap(NULL, collapse_bytes(own_size), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : collapse_make(memory, own_size);
}

void collapse_free(struct collapse *collapse)
{
	if (collapse)
		munmap(collapse, collapse_bytes(own_size));
}

/* ---- the stack ---- */

/* A strand of the innermost task ends.  False if nothing is open any more. */
static bool end_strand(struct collapse *c, uint64_t now, enum wire_kind kind)
{
	struct open_task *task;
	uint64_t dt = now - c->last;

	if (!is_open(c))
		return false;
	task = c->top;
	if (task->ended_by != WIRE_NONE || dt > (task->collapsed ? c->task : c->strand)) {
		give_up(c);
		return false;
	}
	if (task->collapsed) {
		note(c, dt, ROW_AFTER);
	} else {
		note(c, dt, ROW_BUSY);
		task->own += dt;
	}
	if (task->collapsed)
		task->collapsed = false;
	task->ended_by = kind;
	return part_cut(c, task, now);
}

/* ---- children ---- */

static void on_create(struct collapse *c, uint64_t now, uint64_t b)
{
	const uint32_t strange = WIRE_TASK_DETACHED | WIRE_TASK_EMPTY | WIRE_TASK_GLOBAL;
	uint32_t flags = site_flags(b);
	struct child *child;
	uint64_t id;

	if (end_strand(c, now, WIRE_CREATE) && !(flags & strange)) {
		create_inside(c, &c->progress, c->top, now, b, false);
		return;
	}
	give_up(c);
	id = id_make(c->worker, ++c->n_ids);
	child = &c->child[id & c->child_mask];
	*child = (struct child){ .id = id, .slice = c->slice, .site = (uint32_t)b, .when = now };
	child->state = flags & strange ? CHILD_GONE : CHILD_CREATED;
	child->final = flags & WIRE_TASK_FINAL;
	child->undeferred = flags & WIRE_TASK_UNDEFERRED;
	child->maybe_final = c->limits->final_tasks;
}

static inline bool begins_inside(const struct collapse *c, const struct open_task *task,
				 const struct child *child, uint64_t now)
{
	return child && now - c->last <= c->strand && child->state == CHILD_CREATED &&
	       child->creator == task->serial && child->n_scopes == task->n_scopes &&
	       task->ended_by != WIRE_NONE && task->ended_by != WIRE_YIELD && task < c->highest &&
	       !may_be_undeferred(task, child);
}

/* A task begins on top of the innermost, if that created it; else what is open is given up. */
static void on_begin(struct collapse *c, struct child *child, uint64_t id, uint64_t now)
{
	if (child && child->state != CHILD_CREATED)
		child = NULL;
	if (is_open(c) && begins_inside(c, c->top, child, now))
		leave_for_child(c, &c->progress, c->top, child, now);
	else
		give_up(c);
	push(c, &c->progress, child, id, now, c->at);
}

/* ---- waits ---- */

/* A strand begins of a task that is not collapsed as a whole: parts of it can be. */
static void push_partial(struct collapse *c, uint64_t id, uint64_t now)
{
	give_up(c);
	push(c, &c->progress, NULL, id, now, c->at);
	c->top->partial = true;
}

/* The innermost task's next strand begins.  False if it can't be said why. */
static bool goes_on(struct collapse *c, struct open_task *task, uint64_t now)
{
	enum next_edge edge = NEXT_WAIT_CONT;

	if (task->ended_by == WIRE_NONE || now - c->last > c->strand)
		return false;
	if (task->ended_by == WIRE_CREATE && !join_created(c, task, &edge))
		return false;
	if (task->ended_by == WIRE_WAIT && !join_awaited(c, task, &edge))
		return false;
	if (task->ended_by == WIRE_YIELD) { /* if it was elsewhere meanwhile, WIRE_MOVED follows */
		task->n_waits++;
		task->n_waited++;
	}
	note(c, now - c->last, edge);
	task->child_ended = false;
	task->ended_by = WIRE_NONE;
	return true;
}

static void on_resume(struct collapse *c, uint64_t id, uint64_t now)
{
	if (!is_open(c) || c->top->id != id || !goes_on(c, c->top, now)) {
		push_partial(c, id, now);
		c->top->has_older = c->waiter != id || c->waiter_bag;
		c->top->joined_bag = c->waiter == id ? c->waiter_bag : 0;
	}
	c->waiter = 0;
}

static void on_wait(struct collapse *c, uint64_t now, uint64_t b)
{
	uint32_t what = (uint8_t)site_flags(b);

	if (!end_strand(c, now, WIRE_WAIT))
		return;
	if (what == WIRE_WAIT_CHILDREN || what == WIRE_WAIT_BAG) {
		c->waiter = c->top->id;
		c->waiter_bag = 0;
	}
	c->top->wait = site_flags(b);
	c->top->object = 0;
	c->top->wait_began = now;
	c->top->child_ended = false;
}

/* ---- the end ---- */

/* Whether it can be collapsed, and so can be what it ran on top of; then *tally is its own. */
static bool is_closed(struct collapse *c, const struct open_task *task, uint64_t now,
		      uint32_t *tally)
{
	const struct child *child = &c->child[task->child];

	*tally = 0;
	if (task->n_open || task->n_unjoined || task->n_scopes || task->grouped || task->partial ||
	    now - task->begin > c->task)
		return false;
	if (task == c->bottom)
		return true;
	if (child->id != task->child_id || child->slice != c->slice)
		return false;
	*tally = tally_of(c, child->site);
	return *tally;
}

static void on_end(struct collapse *c, uint64_t now)
{
	bool was_one = is_open(c) && c->top->collapsed && c->top->fields == c->top->interval;
	uint32_t tally;
	struct open_task *task;

	if (!end_strand(c, now, WIRE_END))
		return;
	task = c->top;
	if (!is_closed(c, task, now, &tally)) {
		give_up(c);
		return;
	}
	if (!was_one && n_within(c, &c->progress, task) > c->least)
		close_whole(c, &c->progress, c->at);
	c->top--;
	if (is_open(c))
		merge(c, &c->progress, c->top, task, tally, now);
	else
		give_up(c);
}

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

static void take_detail(struct collapse *c, const struct wire_event *event)
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

/* ---- the slice ---- */

static void take_timed(struct collapse *c, const struct wire_event *event)
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
		on_end(c, now);
		break;
	case WIRE_ROOT:
	case WIRE_MEMBER:
		push_partial(c, id_make(c->worker, ++c->n_ids), now);
		break;
	case WIRE_FORK:
	case WIRE_SIGNAL:
		end_strand(c, now, event_kind(event));
		c->n_ids += kind_makes(event_kind(event)); /* fall through */
	default:
		give_up(c);
	}
	c->last = now;
}

static void take_all(struct collapse *c, const struct wire_event *event, uint32_t n)
{
	const struct wire_event *end = event + n;

	for (; event < end; event++, c->at++) {
		if (is_open(c) && event_kind(event) != WIRE_COLLAPSED && !c->limits->closely) {
			event += collapse_plain(c, event, (uint32_t)(end - event));
			if (event == end)
				return;
		}
		if (kind_timed(event_kind(event)))
			take_timed(c, event);
		else
			take_detail(c, event);
	}
}

static void take_slice(struct collapse *c, const struct slice *source, const struct interval *eager)
{
	c->at = c->n_closed = c->held = 0;
	c->n_ids = source->n_ids;
	c->slice++;
	c->waiter = 0;
	c->has_cut = false;
	c->eager = eager;
	give_up(c);
	take_all(c, source->slot, source->n);
}

/*
 * At the end of a slice: from where on it is worth another look.  A task that runs children at once
 * (libgomp's, with many that wait to begin) has no part that can be collapsed before those have
 * begun, which may be in a later slice.  NULL: it is not.
 */
static const struct interval *stuck_since(const struct collapse *c)
{
	const struct open_task *task = c->bottom;
	uint32_t from;

	if (!is_open(c) || !task->partial || !task->inlines || task->n_open < 2)
		return NULL;
	from = task->has_cut ? c->cut[task - c->open].interval : task->interval;
	return n_intervals(c, &c->progress) - from > c->least + 2 * STUCK
		       ? c->interval + from + STUCK
		       : NULL;
}

/* Writes what take_slice() found; 0 if that would be longer. */
static uint32_t put_slice(struct collapse *c, const struct slice *source, struct wire_event *out)
{
	uint32_t n = rewrite(c, source, out), most = c->limits->grows ? UINT32_MAX : source->n;

	if (n < source->n - c->n_heard)
		c->n_taken_out += source->n - c->n_heard - n;
	n += tally_put_all(c, out + n, most > n ? most - n : 0);
	return n <= most && !c->full ? n : 0;
}

static uint32_t copy_slice(const struct slice *source, struct wire_event *out)
{
	memcpy(out, source->slot, source->n * sizeof(*out));
	return source->n;
}

uint32_t collapse_run(struct collapse *c, struct slice *source,
		      const struct collapse_limits *limits, struct wire_event *out)
{
	const struct interval *eager;
	uint32_t n;

	c->limits = limits;
	c->strand = limits->strand < UINT32_MAX ? (uint32_t)limits->strand : UINT32_MAX;
	c->task = limits->task < UINT32_MAX ? (uint32_t)limits->task : UINT32_MAX;
	c->least = limits->least ? limits->least : 1;
	c->worker = source->worker;
	c->bottom = c->open + 1;
	c->highest = c->open + DEPTH;
	c->again = c->full = false;
	tally_begin(c);
	take_slice(c, source, &c->interval[COLLAPSE_SLICE]);
	eager = stuck_since(c);
	if (eager) {
		c->again = true;
		take_slice(c, source, eager);
	}
	if (c->has_cut)
		close_parts(c);
	source->n_ids = c->n_ids;
	n = put_slice(c, source, out);
	return n ? n : copy_slice(source, out);
}
