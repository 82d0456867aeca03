/* SPDX-License-Identifier: MIT */
/* collapse_part.c - marks how far a task can be collapsed, and closes what can be. */
#include "collector/collapse/collapse_part.h"

#include <string.h>

bool part_mark_now(struct collapse *c, struct frame *frame, uint64_t now)
{
	uint32_t depth = (uint32_t)(frame - c->frame);
	bool leaves = frame->n_unjoined; /* tasks to be joined later */

	if (now - frame->begin > c->task) {
		give_up(c);
		return false;
	}
	frame->mark_from = c->next_interval + MARK_EVERY;
	if (frame->n_unjoined && (frame->bag || frame->names)) /* who joins them would be lost */
		return true;
	if (n_intervals(c) - frame->interval < 2) /* nothing but the strand itself */
		return true;
	c->mark[depth] = (struct mark){ .at = c->at,
					.pending = n_pending(c),
					.interval = n_intervals(c),
					.chain = frame->chain,
					.join_chain = leaves ? frame->join_chain : 0,
					.n_created = frame->n_created,
					.n_waited = frame->n_waited,
					.n_ids = c->n_ids,
					.own = frame->own,
					.below = frame->below,
					.span = frame->span,
					.path = frame->path,
					.join_span = leaves ? frame->join_span : 0,
					.n_waits = frame->n_waits,
					.n_tasks = frame->n_tasks };
	frame->marked = c->marked = true;
	return true;
}

void part_join(struct collapse *c, struct frame *frame, unsigned field, uint64_t value)
{
	uint64_t span = c->span_before + value;
	uint32_t chain = c->chain_before + (uint32_t)value;

	if (field == WIRE_COLLAPSED_JOIN_SPAN && span > frame->join_span)
		frame->join_span = span;
	if (field == WIRE_COLLAPSED_JOIN_CHAIN && chain > frame->join_chain)
		frame->join_chain = chain;
	frame->n_unjoined++;
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
	memmove(&c->closed[before + 1], &c->closed[after],
		(c->n_closed - after) * sizeof(*c->closed));
	c->n_closed = c->n_closed - after + before + 1;
	return &c->closed[before];
}

static void part_close(struct collapse *c, const struct frame *frame)
{
	const struct mark *mark = &c->mark[frame - c->frame];
	struct closed *closed = place_for(c, frame->at, mark->at);

	if (!closed)
		return;
	*closed = (struct closed){
		.at = frame->at,
		.end = mark->at,
		.pending = frame->pending,
		.pending_end = mark->pending,
		.interval = frame->interval,
		.interval_end = mark->interval,
		.ready = frame->ready,
		.chain = mark->chain,
		/* also of a shorter path: behind a gap no other may lead on */
		.join_chain = mark->join_chain,
		.n_created = mark->n_created,
		.n_waited = mark->n_waited,
		.made = mark->n_ids - frame->n_ids,
		.own = mark->own,
		.work = mark->own + mark->below,
		.span = mark->own + mark->span,
		.path = mark->own + mark->path,
		.join_span = mark->join_span,
		.n_waits = mark->n_waits,
		.n_tasks = mark->n_tasks,
	};
}

void close_parts(struct collapse *c)
{
	for (const struct frame *frame = c->frame + 1; frame <= c->top; frame++)
		if (frame->marked)
			part_close(c, frame);
	c->marked = false;
}
