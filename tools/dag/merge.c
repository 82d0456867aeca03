/* SPDX-License-Identifier: MIT */
/* merge.c - takes batches, and puts the events of their groups in order. */
#include "tools/dag/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/table.h"
#include "tools/base/threads.h"

/* ---- groups ---- */

/* Whether the entry follows the one before it at once. */
static bool is_at_once(const struct streamed *entry, uint64_t ns)
{
	return !kind_timed(entry->event.kind) || entry->ns < ns;
}

/* Whose events are in the group.  0 or -ENOMEM. */
static int open_group(struct merge *merge, const struct group *group)
{
	struct streamed *const *order = merge->batch->order;
	uint32_t end = group->first + group->n;

	for (uint32_t i = group->first; i < end; i++) {
		if (i > group->first && order[i]->event.worker == order[i - 1]->event.worker)
			continue;
		if (!array_grow(&merge->member, &merge->room, merge->n_members + 1,
				sizeof(*merge->member)))
			return -ENOMEM;
		if (merge->n_members)
			merge->member[merge->n_members - 1].end = i;
		merge->member[merge->n_members++] = (struct merge_member){ i, end };
	}
	return 0;
}

/*
 * Of a task's strands that begin at this time on several workers, the latest is the one that ends
 * the task or outlasts the time.  One that did not move goes on where the task was, before others.
 */
#define LATE_MOVED 1u
#define LATE_LAST 2u
static unsigned lateness(struct merge *merge, const struct merge_member *member)
{
	struct streamed *const *order = merge->batch->order;
	unsigned moved = 0;
	uint32_t at = member->at + 1;

	for (; at < member->end && !kind_timed(order[at]->event.kind); at++)
		if (order[at]->event.kind == WIRE_MOVED)
			moved = LATE_MOVED;
	merge->n_steps += at - member->at;
	return moved | (at == member->end || order[at]->event.kind == WIRE_END ? LATE_LAST : 0);
}

/* Whether the members go on with the same task, `a` before `b`. */
static bool goes_on_before(struct merge *merge, const struct merge_member *a,
			   const struct merge_member *b)
{
	const struct event *of_a = &merge->batch->order[a->at]->event;
	const struct event *of_b = &merge->batch->order[b->at]->event;

	return of_a->kind == WIRE_RESUME && of_b->kind == WIRE_RESUME && of_a->b == of_b->b &&
	       lateness(merge, a) < lateness(merge, b);
}

/* The member whose next event has to wait least, the first of equals. */
static struct merge_member *first_of_group(struct merge *merge)
{
	struct merge_member *best = &merge->member[0];
	unsigned best_rank = UINT32_MAX;

	if (merge->n_members == 1)
		return best;
	merge->n_steps += merge->n;
	for (uint64_t i = 0; i < merge->n_members; i++) {
		const struct event *next = &merge->batch->order[merge->member[i].at]->event;
		unsigned rank = merge->rank(merge->context, next->worker, next);

		if (i == 0 || rank < best_rank ||
		    (rank == best_rank && goes_on_before(merge, &merge->member[i], best))) {
			best = &merge->member[i];
			best_rank = rank;
		}
	}
	return best;
}

/* Goes on with the next event of one of the group, and what follows at once. */
static void turn_in_group(struct merge *merge)
{
	struct merge_member *member = first_of_group(merge);
	struct streamed *const *order = merge->batch->order;
	uint64_t ns = order[member->at]->ns;

	merge->at = member->at++;
	while (member->at < member->end && is_at_once(order[member->at], ns))
		member->at++;
	merge->stop = member->at;
	if (member->at < member->end)
		return;
	for (struct merge_member *last = &merge->member[--merge->n_members]; member < last;
	     member++)
		member[0] = member[1]; /* they stay in order */
}

/* ---- batches ---- */

static void next_batch(struct merge *merge)
{
	if (merge->relay)
		merge->batch = relay_next(merge->relay);
	else if (merge->by_cause)
		merge->n_steps += streams_fill_by_cause(&merge->streams, merge->batch, merge->rank,
							merge->context);
	else
		streams_fill(&merge->streams, merge->batch);
	merge->behind = merge->at_group = 0;
	for (uint32_t i = 0; i < merge->batch->n_slices; i++) {
		const struct slice *slice = &merge->batch->slice[i];

		merge->next[slice->worker] = (struct merge_next){ .at = slice->first,
								  .end = slice->end,
								  .kind = slice->next_kind,
								  .ns = slice->next_ns };
	}
}

/* Goes on behind what was handed on of the batch: to a group, or up to one.  0 or -ENOMEM. */
static int turn_in_batch(struct merge *merge)
{
	const struct batch *batch = merge->batch;
	const struct group *group = NULL;

	if (merge->at_group < batch->n_groups)
		group = &batch->group[merge->at_group];
	if (group && group->first == merge->behind) {
		merge->at_group++;
		merge->behind += group->n;
		return open_group(merge, group);
	}
	merge->at = merge->behind;
	merge->stop = merge->behind = group ? group->first : batch->n;
	return 0;
}

int merge_turn(struct merge *merge, struct err *err)
{
	while (merge->at == merge->stop) {
		const struct batch *batch = merge->batch;

		if (merge->n_members) {
			turn_in_group(merge);
		} else if (merge->behind < batch->n) {
			if (turn_in_batch(merge) < 0)
				return err_set(err, ENOMEM, "out of memory");
		} else if (batch->error) {
			*err = batch->err;
			return batch->error;
		} else if (batch->last) {
			return 0;
		} else {
			next_batch(merge);
		}
	}
	return 1;
}

/* ---- open and close ---- */

int merge_open(struct merge *merge, const struct reader *reader, bool by_cause, struct err *err)
{
	uint32_t n = reader_facts(reader)->n_workers;
	uint32_t n_threads = threads_for(reader_facts(reader)->n_events);
	bool relayed = n_threads > 1 && !by_cause;
	int error;

	*merge = (struct merge){ .n = n, .by_cause = by_cause };
	merge->batch = &merge->own;
	prefault_open(&merge->prefault);
	merge->next = calloc(n + 1ull, sizeof(*merge->next));
	if (!merge->next)
		return err_set(err, ENOMEM, "out of memory");
	error = streams_open(&merge->streams, reader, n_threads - 1 - relayed, err);
	if (!error && relayed)
		merge->relay = relay_open(&merge->streams, &merge->prefault);
	return error;
}

void merge_close(struct merge *merge)
{
	relay_close(merge->relay);
	prefault_close(&merge->prefault);
	streams_close(&merge->streams);
	batch_close(&merge->own);
	free(merge->member);
	free(merge->next);
	*merge = (struct merge){ 0 };
}
