/* SPDX-License-Identifier: MIT */
/*
 * collapse_end.h - tasks that end on the stack of a pass: what they leave to those below, and which
 * can be collapsed.
 *
 * For collapse.c, collapse_scope.c and collapse_plain.c, as collapse_task.h.
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

/* The innermost task is over, and can be collapsed; `event` ends it. */
static inline void close_whole(struct collapse *c, const struct progress *at, uint32_t event)
{
	close_task(c, c->top,
		   &(struct cut){ .sums = c->top->sums,
				  .at = event,
				  .pending = n_pending(c, at),
				  .interval = n_intervals(c, at),
				  .n_ids = at->n_ids });
}
