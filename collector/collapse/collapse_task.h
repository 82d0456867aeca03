/* SPDX-License-Identifier: MIT */
/*
 * collapse_task.h - tasks that are created, begin and end on the stack of a pass.
 *
 * For collapse.c and collapse_plain.c, so that both do the same; `at` is how far it is, which the
 * latter has in registers.
 */
#pragma once

#include "collector/collapse/collapse_state.h"
#include "collector/collapse/collapse_tally.h"

/* What is to be in registers has its address taken. */
#define INLINED static inline __attribute__((always_inline))

/* The next task, of the innermost one; `plain`: neither its site nor that says more of it. */
INLINED void create_inside(struct collapse *c, struct progress *at, struct frame *frame,
			   uint64_t now, uint64_t b, bool plain)
{
	uint64_t id = id_make(c->worker, ++at->n_ids);
	uint32_t place = (uint32_t)(id & c->child_mask), flags = site_flags(b);
	struct child *child = &c->child[place];

	child->id = id;
	child->name = 0;
	child->whose = frame->whose;
	child->when = now;
	child->span = frame->span + frame->own;
	child->path = frame->path + frame->own;
	child->chain = frame->chain;
	child->site = (uint32_t)b;
	child->n_scopes = frame->n_scopes;
	child->flags = child_flags(frame->maybe_final);
	if (!plain) {
		child->undeferred = frame->final || flags & WIRE_TASK_UNDEFERRED;
		child->final = frame->final || flags & WIRE_TASK_FINAL;
	}
	frame->created = place;
	frame->n_created++;
	frame->n_open++;
	at->ready += READY_CREATED;
}

/* memset() of so much that the compiler would call it, or use a slow instruction. */
INLINED void clear_frame(struct frame *frame)
{
	typedef uint64_t piece __attribute__((vector_size(16), may_alias));
	piece *at = (piece *)frame;

	_Static_assert(sizeof(*frame) % sizeof(piece) == 0, "whole pieces");
#pragma GCC unroll 32
	for (size_t i = 0; i < sizeof(*frame) / sizeof(piece); i++)
		at[i] = (piece){ 0 };
}

/* A task is the innermost one from now on; `event` begins it.  NULL: not known who created it. */
INLINED void push(struct collapse *c, const struct progress *at, struct child *child, uint64_t id,
		  uint64_t now, uint32_t event)
{
	struct frame *frame = ++c->top;

	clear_frame(frame);
	frame->whose = whose_make(c->slice, ++c->serial);
	frame->at = event;
	frame->pending = (uint32_t)(at->next_pending - c->pending);
	frame->id = id;
	frame->begin = now;
	frame->n_ids = at->n_ids;
	frame->ready = at->ready;
	frame->interval = (uint32_t)(at->next_interval - c->interval);
	frame->mark_from = at->next_interval + c->least;
	frame->maybe_final = child ? child->maybe_final : c->limits->final_tasks;
	if (child) {
		frame->child = (uint32_t)(child - c->child);
		frame->child_id = child->id;
		if (child->final)
			frame->final = true;
		child->state = CHILD_RUNS;
	}
}

/* A child that begins at once is undeferred if its creator is below a final task. */
INLINED bool may_be_undeferred(const struct frame *frame, const struct child *child)
{
	return frame->maybe_final && !frame->final && frame->ended_by == WIRE_CREATE &&
	       !child->undeferred;
}

/* A child of the innermost task is what its worker goes on with. */
INLINED void leave_for_child(const struct collapse *c, struct progress *at, struct frame *frame,
			     const struct child *child, uint64_t now)
{
	at->ready -= READY_CREATED;
	if (frame->ended_by == WIRE_CREATE && !child->undeferred && !frame->continues) {
		frame->continues = true;
		if (frame->loose) {
			frame->inlines = true;
			frame->stuck = frame->n_open > 1 && at->next_interval > c->eager;
		}
		at->ready += READY_CONTINUATION;
	}
	note_at(at, now - at->last, NEXT_CREATE);
}

/* The sums of a task at its end. */
struct ran {
	uint64_t begin, own, span, path, n_tasks;
	uint32_t chain, tally;
};

/* A child is over: what can be joined of it. */
INLINED void end_child(struct progress *at, struct frame *creator, struct child *child,
		       const struct ran *ran, uint64_t now)
{
	child->state = CHILD_ENDED;
	child->span += ran->span;
	child->path += ran->path;
	child->chain += ran->chain + 1;
	creator->join_span = child->span > creator->join_span ? child->span : creator->join_span;
	creator->join_chain =
		child->chain > creator->join_chain ? child->chain : creator->join_chain;
	creator->last_path = child->path;
	creator->child_ended = true;
	creator->n_open--;
	creator->n_unjoined++;
	creator->n_tasks += ran->n_tasks + 1;
	*at->next_pending++ = (struct pending){ (uint32_t)ran->own,
						(uint32_t)(ran->begin - child->when), ran->tally };
	child->when = now;
}

/* A task that is over becomes part of the one that it ran on top of. */
INLINED void merge(struct collapse *c, struct progress *at, struct frame *below,
		   const struct frame *frame, uint32_t tally, uint64_t now)
{
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
	end_child(at, below, &c->child[frame->child], &ran, now);
}

/* The task's own last strand, or the child that ended last, released what comes now. */
INLINED enum next_edge join(struct frame *frame, const struct child *one)
{
	uint64_t span = one ? one->span : frame->join_span;
	uint32_t chain = one ? one->chain : frame->join_chain;

	frame->span = span > frame->span + frame->own ? span - frame->own : frame->span;
	frame->chain = chain > frame->chain ? chain : frame->chain;
	if (!frame->child_ended)
		return NEXT_WAIT_CONT;
	frame->path = (one ? one->path : frame->last_path) - frame->own;
	return NEXT_JOIN;
}

/* A task that is over can be collapsed, and takes the place of those inside it; `event` ends it. */
static inline void close_frame(struct collapse *c, const struct progress *at,
			       const struct frame *frame, uint32_t event)
{
	struct closed *closed;

	while (c->n_closed && c->closed[c->n_closed - 1].at > frame->at)
		c->n_closed--;
	if (c->n_closed == CLOSED) /* not if limits->least is what it should be */
		return;
	closed = &c->closed[c->n_closed++];
	closed->at = frame->at;
	closed->end = event;
	closed->pending = frame->pending;
	closed->pending_end = (uint32_t)(at->next_pending - c->pending);
	closed->interval = frame->interval;
	closed->interval_end = (uint32_t)(at->next_interval - c->interval);
	closed->ready = frame->ready;
	closed->chain = frame->chain;
	closed->join_chain = closed->n_created = closed->n_waited = 0;
	closed->made = at->n_ids - frame->n_ids;
	closed->own = frame->own;
	closed->work = frame->own + frame->below;
	closed->span = frame->own + frame->span;
	closed->path = frame->own + frame->path;
	closed->join_span = 0;
	closed->n_waits = frame->n_waits;
	closed->n_tasks = frame->n_tasks;
}
