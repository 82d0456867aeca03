/* SPDX-License-Identifier: MIT */
/*
 * collapse_end.h - tasks that end on the stack of a pass: what they leave to those below, and which
 * can be collapsed.
 *
 * For collapse.c, collapse_join.c and collapse_plain.c, as collapse_task.h.
 */
#pragma once

#include "collector/collapse/collapse_task.h"

/* The sums of a task at its end. */
struct ran {
	uint64_t begin, own, span, path, n_tasks;
	uint32_t chain, tally;
};

/* A child is over: what can be joined of it. */
INLINED void end_child(struct progress *at, struct open_task *creator, struct child *child,
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
INLINED void merge(struct collapse *c, struct progress *at, struct open_task *below,
		   const struct open_task *task, uint32_t tally, uint64_t now)
{
	struct ran ran = {
		.begin = task->begin,
		.own = task->own,
		.span = task->span + task->own,
		.path = task->path + task->own,
		.n_tasks = task->n_tasks,
		.chain = task->chain,
		.tally = tally,
	};

	below->below += task->own + task->below;
	below->n_waits += task->n_waits;
	end_child(at, below, &c->child[task->child], &ran, now);
}

/* The task's own last strand, or the child that ended last, released what comes now. */
INLINED enum next_edge join(struct open_task *task, const struct child *one)
{
	uint64_t span = one ? one->span : task->join_span;
	uint32_t chain = one ? one->chain : task->join_chain;

	task->span = span > task->span + task->own ? span - task->own : task->span;
	task->chain = chain > task->chain ? chain : task->chain;
	if (!task->child_ended)
		return NEXT_WAIT_CONT;
	task->path = (one ? one->path : task->last_path) - task->own;
	return NEXT_JOIN;
}

/* A task that is over can be collapsed, and takes the place of those inside it; `event` ends it. */
static inline void close_task(struct collapse *c, const struct progress *at,
			      const struct open_task *task, uint32_t event)
{
	struct closed *closed;

	while (c->n_closed && c->closed[c->n_closed - 1].at > task->at)
		c->n_closed--;
	if (c->n_closed == CLOSED) /* not if limits->least is what it should be */
		return;
	closed = &c->closed[c->n_closed++];
	closed->at = task->at;
	closed->end = event;
	closed->pending = task->pending;
	closed->pending_end = (uint32_t)(at->next_pending - c->pending);
	closed->interval = task->interval;
	closed->interval_end = (uint32_t)(at->next_interval - c->interval);
	closed->ready = task->ready;
	closed->chain = task->chain;
	closed->join_chain = closed->n_created = closed->n_waited = 0;
	closed->made = at->n_ids - task->n_ids;
	closed->own = task->own;
	closed->work = task->own + task->below;
	closed->span = task->own + task->span;
	closed->path = task->own + task->path;
	closed->join_span = 0;
	closed->n_waits = task->n_waits;
	closed->n_tasks = task->n_tasks;
}
