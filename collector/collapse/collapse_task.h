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
INLINED void create_inside(struct collapse *c, struct progress *at, struct open_task *task,
			   uint64_t now, uint64_t b, bool plain)
{
	uint64_t id = id_make(c->worker, ++at->n_ids);
	uint32_t place = (uint32_t)(id & c->child_mask), flags = site_flags(b);
	struct child *child = &c->child[place];

	child->id = id;
	child->name = 0;
	child->whose = task->whose;
	child->when = now;
	child->span = task->span + task->own;
	child->path = task->path + task->own;
	child->chain = task->chain;
	child->site = (uint32_t)b;
	child->n_scopes = task->n_scopes;
	child->flags = child_flags(task->maybe_final);
	if (!plain) {
		child->undeferred = task->final || flags & WIRE_TASK_UNDEFERRED;
		child->final = task->final || flags & WIRE_TASK_FINAL;
	}
	task->created = place;
	task->n_created++;
	task->n_open++;
	at->ready += READY_CREATED;
}

/* memset() of so much that the compiler would call it, or use a slow instruction. */
INLINED void clear_open_task(struct open_task *task)
{
	typedef uint64_t piece __attribute__((vector_size(16), may_alias));
	piece *at = (piece *)task;

	_Static_assert(sizeof(*task) % sizeof(piece) == 0, "whole pieces");
#pragma GCC unroll 32
	for (size_t i = 0; i < sizeof(*task) / sizeof(piece); i++)
		at[i] = (piece){ 0 };
}

/* A task is the innermost one from now on; `event` begins it.  NULL: not known who created it. */
INLINED void push(struct collapse *c, const struct progress *at, struct child *child, uint64_t id,
		  uint64_t now, uint32_t event)
{
	struct open_task *task = ++c->top;

	clear_open_task(task);
	task->whose = whose_make(c->slice, ++c->serial);
	task->at = event;
	task->pending = n_pending(c, at);
	task->id = id;
	task->begin = now;
	task->n_ids = at->n_ids;
	task->ready = at->ready;
	task->interval = n_intervals(c, at);
	task->cut_from = at->next_interval + c->least;
	task->maybe_final = child ? child->maybe_final : c->limits->final_tasks;
	if (child) {
		task->child = (uint32_t)(child - c->child);
		task->child_id = child->id;
		if (child->final)
			task->final = true;
		child->state = CHILD_RUNS;
	}
}

/* A child that begins at once is undeferred if its creator is below a final task. */
INLINED bool may_be_undeferred(const struct open_task *task, const struct child *child)
{
	return task->maybe_final && !task->final && task->ended_by == WIRE_CREATE &&
	       !child->undeferred;
}

/* A child of the innermost task is what its worker goes on with. */
INLINED void leave_for_child(const struct collapse *c, struct progress *at, struct open_task *task,
			     const struct child *child, uint64_t now)
{
	at->ready -= READY_CREATED;
	if (task->ended_by == WIRE_CREATE && !child->undeferred && !task->continues) {
		task->continues = true;
		if (task->partial) {
			task->inlines = true;
			task->stuck = task->n_open > 1 && at->next_interval > c->eager;
		}
		at->ready += READY_CONTINUATION;
	}
	note_at(at, now - at->last, NEXT_CREATE);
}
