/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the events of all workers as one stream in order of time.
 *
 * Times may be equal.  Then the order is that in which the events can have happened: what ends
 * a strand before what begins one, and of these what others may be waiting for first.  A task's
 * strands on several workers at one time come in the order that their ends and MOVED tell.  What
 * has no time of its own follows the event before it at once.
 *
 * A further thread merges what is in order of time, ahead of this one, which is left with who
 * comes first of a group (streams.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/dag/streams.h"
#include "tools/dag/prefault.h"

struct relay;

/* A worker's events in the group at hand that were not given yet: order[at..end-1]. */
struct merge_member {
	uint32_t at, end;
};

/* What follows the event that was given last, of a worker. */
struct merge_next {
	uint32_t at, end; /* in the batch: entry[at..end-1] */
	uint32_t kind;	  /* and after these; WIRE_NONE: nothing */
	uint64_t ns;
};

struct merge {
	struct streams streams;
	struct relay *relay;	  /* NULL: batches are filled when they are needed */
	struct prefault prefault; /* of the array that its taker fills most */
	struct batch own;	  /* and in this one */
	struct batch *batch;
	uint32_t at, stop; /* batch->order[at..stop-1] come in that order; then merge_turn() */
	uint32_t behind;   /* of the batch, the first place that is neither there nor in .. */
	struct merge_member *member; /* .. the group at hand: n_members */
	uint64_t n_members, room;
	bool contested;		 /* several of these may go on with the same task */
	uint32_t at_group;	 /* of the batch, the next */
	struct merge_next *next; /* by worker */
	uint32_t n;		 /* workers */
	uint32_t worker;	 /* whose event merge_next() gave */
	uint64_t n_steps;	 /* through workers whose next events are at the same time */
	bool by_cause;
	/* how long an event has to wait for others of its time; asked only if there are */
	streams_rank *rank;
	const void *context;
};

/*
 * by_cause: for a trace whose workers' clocks do not agree (streams_fill_by_cause()).  0, or -errno
 * and *err; `rank` and `context` are to be set before the first merge_next().
 */
int merge_open(struct merge *merge, const struct reader *reader, bool by_cause, struct err *err);
void merge_close(struct merge *merge); /* a zeroed one is fine */

/* Goes on to entries that come in order: 1, 0 at the end, -errno and *err. */
int merge_turn(struct merge *merge, struct err *err);

/* The next event: 1, 0 at the end, -errno and *err.  Good until the next call. */
static inline int merge_next(struct merge *merge, const struct event **event, uint64_t *ns,
			     struct err *err)
{
	const struct streamed *entry;

	if (merge->at == merge->stop) {
		int got = merge_turn(merge, err);

		if (got <= 0)
			return got;
	}
	entry = merge->batch->order[merge->at++];
	/* another core has written it, and this one cannot guess where */
	__builtin_prefetch(merge->batch->order[merge->at - 1 + BATCH_PAST]);
	merge->worker = entry->event.worker;
	merge->next[merge->worker].at++;
	*event = &entry->event;
	*ns = entry->ns;
	return 1;
}

/* The kind and time of the worker's next event after the one at hand; WIRE_NONE: it has none. */
static inline uint32_t merge_upcoming(const struct merge *merge, uint32_t worker, uint64_t *ns)
{
	const struct merge_next *next = &merge->next[worker];
	bool here = next->at < next->end;

	*ns = here ? merge->batch->entry[next->at].ns : next->ns;
	return here ? merge->batch->entry[next->at].event.kind : next->kind;
}

/* Whether the worker has no more events, the one at hand included. */
static inline bool merge_is_over(const struct merge *merge, uint32_t worker)
{
	uint64_t ns;

	return worker != merge->worker && merge_upcoming(merge, worker, &ns) == WIRE_NONE;
}
