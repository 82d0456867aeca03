/* SPDX-License-Identifier: MIT */
/* collapse_part.c - cuts tasks where a part of them can be collapsed, and closes the parts. */
#include "collector/collapse/collapse_part.h"

#include <string.h>

bool part_cut_now(struct collapse *c, struct open_task *task, uint64_t now)
{
	bool leaves = task->n_unjoined; /* tasks to be joined later */

	if (now - task->begin > c->task) {
		give_up(c);
		return false;
	}
	task->cut_from = c->next_interval + CUT_EVERY;
	if (task->n_unjoined && (task->bag || task->names)) /* who joins them would be lost */
		return true;
	if (n_intervals(c, &c->progress) - task->interval < 2) /* nothing but the strand itself */
		return true;
	c->cut[task - c->open] =
		(struct cut){ .sums = task->sums,
			      .at = c->at,
			      .pending = n_pending(c, &c->progress),
			      .interval = n_intervals(c, &c->progress),
			      /* also of a shorter path: behind a gap no other may lead on */
			      .join_chain = leaves ? task->join_chain : 0,
			      .join_span = leaves ? task->join_span : 0,
			      .n_created = task->n_created,
			      .n_waited = task->n_waited,
			      .n_ids = c->n_ids };
	task->has_cut = c->has_cut = true;
	return true;
}

void part_join(struct collapse *c, struct open_task *task, unsigned field, uint64_t value)
{
	uint64_t span = c->span_before + value;
	uint32_t chain = c->chain_before + (uint32_t)value;

	if (field == WIRE_COLLAPSED_JOIN_SPAN && span > task->join_span)
		task->join_span = span;
	if (field == WIRE_COLLAPSED_JOIN_CHAIN && chain > task->join_chain)
		task->join_chain = chain;
	task->n_unjoined++;
}

/* Makes room for what goes from `at` to `end`: what is inside goes, and what comes later moves. */
static struct closed *place_for(struct collapse *c, uint32_t at, uint32_t end)
{
	uint32_t after = c->n_closed, before;

	while (after > 0 && c->closed[after - 1].at > end)
		after--;
	before = after;
	while (before > 0 && c->closed[before - 1].at > at)
		before--;
	if (before == after && c->n_closed == CLOSED)
		return NULL;
	if (after < c->n_closed)
		memmove(&c->closed[before + 1], &c->closed[after],
			(c->n_closed - after) * sizeof(*c->closed));
	c->n_closed = c->n_closed - after + before + 1;
	return &c->closed[before];
}

void close_task(struct collapse *c, const struct open_task *task, const struct cut *end)
{
	struct closed *closed = place_for(c, task->at, end->at);

	if (!closed) /* not if limits->least is what it should be */
		return;
	closed->at = task->at;
	closed->pending = task->pending;
	closed->interval = task->interval;
	closed->ready = task->ready;
	closed->n_ids = task->n_ids;
	closed->end = *end;
}

void close_parts(struct collapse *c)
{
	for (const struct open_task *task = c->open + 1; task <= c->top; task++)
		if (task->has_cut)
			close_task(c, task, &c->cut[task - c->open]);
	c->has_cut = false;
}
