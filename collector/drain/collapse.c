/* SPDX-License-Identifier: MIT */
/*
 * collapse.c - one pass over a slice of events, with a stack of the tasks that are open.
 *
 * It finds the tasks that can be collapsed; rewrite.c then writes the slice without what is in
 * them, and looks at each event once more for that.
 */
#include "collector/drain/collapse.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "collector/drain/collapse_detail.h"
#include "collector/drain/collapse_join.h"
#include "collector/drain/collapse_part.h"
#include "collector/drain/collapse_state.h"
#include "collector/drain/collapse_tally.h"
#include "collector/drain/rewrite.h"

#define CHILDREN 8192u /* of a collector's own */

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

static const struct collapse_size own_size = { .n_children = CHILDREN,
					       .n_sites = COLLAPSE_TALLIES };

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
	struct frame *frame;
	uint64_t dt = now - c->last;

	if (!is_open(c))
		return false;
	frame = c->top;
	if (frame->ended_by != WIRE_NONE || dt > (frame->collapsed ? c->task : c->strand)) {
		give_up(c);
		return false;
	}
	if (frame->collapsed) {
		note(c, dt, ROW_AFTER);
	} else {
		note(c, dt, ROW_BUSY);
		frame->own += dt;
	}
	frame->collapsed = false;
	frame->ended_by = (uint8_t)kind;
	return part_mark(c, frame, now);
}

/* ---- children ---- */

/* The next task, of the innermost one. */
static inline void create_inside(struct collapse *c, uint64_t now, uint64_t b)
{
	uint64_t id = id_make(c->worker, ++c->n_ids);
	uint32_t at = (uint32_t)(id & c->child_mask), flags = site_flags(b);
	struct frame *frame = c->top;

	c->child[at] = (struct child){ .id = id,
				       .slice = c->slice,
				       .creator = frame->serial,
				       .when = now,
				       .span = frame->span + frame->own,
				       .path = frame->path + frame->own,
				       .chain = frame->chain,
				       .site = (uint32_t)b,
				       .n_scopes = frame->n_scopes,
				       .undeferred = frame->final || flags & WIRE_TASK_UNDEFERRED,
				       .final = frame->final || flags & WIRE_TASK_FINAL,
				       .maybe_final = frame->maybe_final,
				       .state = CHILD_CREATED };
	frame->created = at;
	frame->n_created++;
	frame->n_open++;
	c->ready++;
}

static void on_create(struct collapse *c, uint64_t now, uint64_t b)
{
	const uint32_t strange = WIRE_TASK_DETACHED | WIRE_TASK_EMPTY | WIRE_TASK_GLOBAL;
	uint32_t flags = site_flags(b);
	struct child *child;
	uint64_t id;

	if (end_strand(c, now, WIRE_CREATE) && !(flags & strange)) {
		create_inside(c, now, b);
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

/* Hot path: the innermost task creates a plain one and goes on at once, as `next` says.  False if
 * it needs a closer look. */
static inline bool on_create_and_resume(struct collapse *c, uint64_t now, uint64_t b,
					const struct wire_event *next)
{
	struct frame *frame = c->top;
	uint64_t dt = now - c->last;

	if (!is_open(c) || event_kind(next) != WIRE_RESUME || next->b != frame->id ||
	    frame->ended_by != WIRE_NONE || frame->final || frame->inlines || frame->collapsed ||
	    site_flags(b) || dt > c->strand || event_ticks(next) - now > c->strand)
		return false;
	note(c, dt, ROW_BUSY);
	frame->own += dt;
	if (!part_mark(c, frame, now))
		return false;
	create_inside(c, now, b);
	note(c, event_ticks(next) - now, NEXT_CREATE_CONT);
	frame->child_ended = false;
	return true;
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
	frame->at = c->at;
	frame->pending = c->n_pending;
	frame->id = id;
	frame->begin = now;
	frame->n_ids = c->n_ids;
	frame->ready = c->ready;
	frame->interval = n_intervals(c);
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
	return child && now - c->last <= c->strand && child->state == CHILD_CREATED &&
	       child->creator == frame->serial && child->n_scopes == frame->n_scopes &&
	       frame->ended_by != WIRE_NONE && frame->ended_by != WIRE_YIELD &&
	       c->top < c->frame + DEPTH && !may_be_undeferred(frame, child);
}

/* A child of the innermost task is what its worker goes on with. */
static inline void leave_for_child(struct collapse *c, struct frame *frame,
				   const struct child *child, uint64_t now)
{
	c->ready--;
	if (frame->ended_by == WIRE_CREATE && !child->undeferred && !frame->continues) {
		frame->continues = true;
		frame->inlines = frame->loose;
		c->ready += READY_CONTINUATION;
	}
	note(c, now - c->last, NEXT_CREATE);
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

/* A strand begins of a task that is not collapsed as a whole: parts of it can be. */
static void push_loose(struct collapse *c, uint64_t id, uint64_t now)
{
	give_up(c);
	push(c, NULL, id, now);
	c->top->loose = true;
}

/* The innermost task's next strand begins.  False if it can't be said why. */
static bool goes_on(struct collapse *c, struct frame *frame, uint64_t now)
{
	enum next_edge edge = NEXT_WAIT_CONT;

	if (frame->ended_by == WIRE_NONE || now - c->last > c->strand)
		return false;
	if (frame->ended_by == WIRE_CREATE && !join_created(c, frame, &edge))
		return false;
	if (frame->ended_by == WIRE_WAIT && !join_awaited(c, frame, &edge))
		return false;
	if (frame->ended_by == WIRE_YIELD) { /* if it was elsewhere meanwhile, WIRE_MOVED follows */
		frame->n_waits++;
		frame->n_waited++;
	}
	note(c, now - c->last, edge);
	frame->child_ended = false;
	frame->ended_by = WIRE_NONE;
	return true;
}

static void on_resume(struct collapse *c, uint64_t id, uint64_t now)
{
	if (!is_open(c) || c->top->id != id || !goes_on(c, c->top, now)) {
		push_loose(c, id, now);
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

/* The sums of a task at its end. */
struct ran {
	uint64_t begin, own, span, path, n_tasks;
	uint32_t chain;
	struct collapse_tally *tally;
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
		(struct pending){ ran->own, ran->begin - child->when, ran->tally };
	child->when = now;
}

/* The innermost task's figures become part of those of the one that it ran on top of. */
static void merge(struct collapse *c, const struct frame *frame, struct collapse_tally *tally,
		  uint64_t now)
{
	struct frame *below = c->top;
	struct ran ran = {
		.begin = frame->begin,
		.own = frame->own,
		.span = frame->span + frame->own,
		.path = frame->path + frame->own,
		.n_tasks = frame->n_tasks,
		.chain = frame->chain,
		.tally = tally,
	};

	below->below += frame->own + frame->below;
	below->n_waits += frame->n_waits;
	end_child(c, below, &c->child[frame->child], &ran, now);
}

/* Whether it can be collapsed, and so can be what it ran on top of; then *tally is its own. */
static bool is_closed(struct collapse *c, const struct frame *frame, uint64_t now,
		      struct collapse_tally **tally)
{
	const struct child *child = &c->child[frame->child];

	*tally = NULL;
	if (frame->n_open || frame->n_unjoined || frame->n_scopes || frame->grouped ||
	    frame->loose || now - frame->begin > c->task)
		return false;
	if (frame == c->frame + 1)
		return true;
	if (child->id != frame->child_id || child->slice != c->slice)
		return false;
	*tally = tally_of(c, child->site);
	return *tally;
}

/*
 * Hot path: a task that does nothing of note, whose END follows its BEGIN: half of all tasks
 * mostly. False if it needs a closer look.
 */
static bool on_leaf(struct collapse *c, struct child *child, uint64_t begin, uint64_t end)
{
	struct frame *frame = c->top;
	uint64_t dt = end - begin;
	struct ran ran = { begin, dt, dt, dt, 0, 0, NULL };

	if (!is_open(c) || !begins_inside(c, frame, child, begin) || dt > c->strand || dt > c->task)
		return false;
	ran.tally = tally_of(c, child->site);
	if (!ran.tally)
		return false;
	leave_for_child(c, frame, child, begin);
	note(c, dt, ROW_BUSY);
	frame->below += dt;
	end_child(c, frame, child, &ran, end);
	return true;
}

/* The innermost task, at its END, can be collapsed, and takes the place of those inside it. */
static void close_frame(struct collapse *c, const struct frame *frame)
{
	while (c->n_closed && c->closed[c->n_closed - 1].at > frame->at)
		c->n_closed--;
	if (c->n_closed == CLOSED) /* not if limits->least is what it should be */
		return;
	c->closed[c->n_closed++] = (struct closed){
		.at = frame->at,
		.end = c->at,
		.pending = frame->pending,
		.pending_end = c->n_pending,
		.interval = frame->interval,
		.interval_end = n_intervals(c),
		.ready = frame->ready,
		.chain = frame->chain,
		.made = c->n_ids - frame->n_ids,
		.own = frame->own,
		.work = frame->own + frame->below,
		.span = frame->own + frame->span,
		.path = frame->own + frame->path,
		.n_waits = frame->n_waits,
		.n_tasks = frame->n_tasks,
	};
}

static void on_end(struct collapse *c, uint64_t now)
{
	bool was_one = is_open(c) && c->top->collapsed && c->top->fields == c->top->interval;
	struct collapse_tally *tally;
	struct frame *frame;

	if (!end_strand(c, now, WIRE_END))
		return;
	frame = c->top;
	if (!is_closed(c, frame, now, &tally)) {
		give_up(c);
		return;
	}
	if (!was_one && n_intervals(c) - frame->interval > c->limits->least)
		close_frame(c, frame);
	c->top--;
	if (is_open(c))
		merge(c, frame, tally, now);
	else
		give_up(c);
}

/* ---- the slice ---- */

/* Takes a timed event, and the one after it if that is its end: how many. */
static inline uint32_t take_timed(struct collapse *c, const struct wire_event *event,
				  const struct wire_event *next)
{
	uint64_t now = event_ticks(event), id = event->b;
	struct child *child;

	switch (event_kind(event)) {
	case WIRE_CREATE:
		if (next && on_create_and_resume(c, now, event->b, next)) {
			c->last = event_ticks(next);
			return 2;
		}
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
		on_end(c, now);
		break;
	case WIRE_ROOT:
	case WIRE_MEMBER:
		push_loose(c, id_make(c->worker, ++c->n_ids), now);
		break;
	case WIRE_FORK:
	case WIRE_SIGNAL:
		end_strand(c, now, event_kind(event));
		c->n_ids += kind_makes(event_kind(event)); /* fall through */
	default:
		give_up(c);
	}
	c->last = now;
	return 1;
}

static void take_all(struct collapse *c, const struct wire_event *event, uint32_t n)
{
	const struct wire_event *end = event + n;

	while (event < end) {
		uint32_t taken = 1;

		if (kind_timed(event_kind(event)))
			taken = take_timed(c, event, event + 1 < end ? event + 1 : NULL);
		else
			collapse_detail(c, event);
		event += taken;
		c->at += taken;
	}
}

uint32_t collapse_run(struct collapse *c, struct collapse_source *source,
		      const struct collapse_limits *limits, struct wire_event *out)
{
	uint64_t first = source->first & source->mask, behind = source->mask - first;
	uint32_t n = behind < source->n ? (uint32_t)behind + 1 : source->n, n_out;

	c->limits = limits;
	c->strand = limits->strand < UINT32_MAX ? (uint32_t)limits->strand : UINT32_MAX;
	c->task = limits->task < UINT32_MAX ? (uint32_t)limits->task : UINT32_MAX;
	c->at = c->n_closed = 0;
	c->held = 0;
	c->worker = source->worker;
	c->n_ids = source->n_ids;
	c->slice++;
	c->waiter = 0;
	c->marked = false;
	give_up(c);
	take_all(c, &source->slot[first], n);
	take_all(c, source->slot, source->n - n);
	if (c->marked)
		close_parts(c);
	source->n_ids = c->n_ids;
	n_out = rewrite(c, source, out);
	while (c->held) { /* no more than were taken out; short, so that they may be again */
		uint64_t held = c->held < c->strand ? c->held : c->strand;

		out[n_out++] = (struct wire_event){ WIRE_TRACER, held };
		c->held -= held;
	}
	return n_out;
}
