/* SPDX-License-Identifier: MIT */
/*
 * streams.h - the events of all workers as batches in order of time.
 *
 * A batch is all that the workers did in a span of time, or a part of what one alone did.
 *
 * What several workers did at the same time is a group: its order depends on what the events mean,
 * which is for who takes the batch to find out.  What has no time of its own follows the event
 * before it at once.  A group is never cut by the end of a batch.
 *
 * Used by one thread, which may be ahead of the one that takes the batches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tools/trace/reader.h"
#include "tools/dag/unpack.h"

struct run;

struct streamed {
	struct event event;
	uint64_t ns; /* its time */
};

/* entry[first..end-1]: a worker's, in their order; and the worker's next event after these. */
struct slice {
	uint32_t worker, first, end;
	uint32_t next_kind; /* WIRE_NONE: there is none */
	uint64_t next_ns;
};

/* order[first..first+n-1]: for each of several workers, by number, its events of that time. */
struct group {
	uint32_t first, n;
};

/* So many further places of order[] say the last entry: for who looks ahead. */
#define BATCH_PAST 8u

struct batch {
	struct streamed *entry;	 /* n */
	struct streamed **order; /* n + BATCH_PAST: the same, in order of time */
	struct slice *slice;	 /* n_slices, by worker */
	struct group *group;	 /* n_groups, in order */
	uint32_t n, n_slices, n_groups;
	uint64_t room, order_room, slice_room, group_room;
	int error; /* after the last entry: -errno, and err says why; 0 */
	bool last; /* nothing comes after it */
	struct err err;
};

/* How long an event has to wait for others of its time, from 0; UINT32_MAX: for ever. */
typedef unsigned streams_rank(const void *context, uint32_t worker, const struct event *event);

struct streams {
	const struct reader *reader;
	struct cursor *cursor;	    /* n of them */
	struct decoder *decoder;    /* theirs */
	struct unpack *unpack;	    /* who unpacks ahead of them; NULL */
	const struct event **event; /* the next of each worker; NULL at its end */
	uint64_t *ns;		    /* its time; UINT64_MAX at the end */
	uint32_t *live;		    /* n_live: workers that are not at their end, by number */
	uint32_t n, n_live;
	uint32_t ahead;	  /* events of a worker, at most, that a batch should have */
	uint64_t *key[2]; /* by entry of the batch: for interleave() */
	uint64_t key_room[2];
	struct run *run; /* n */
	/* streams_fill_by_cause() alone */
	uint32_t worker; /* whose event was the last */
	uint64_t now_ns, moved_ns, moved_at_ns;
};

/* With so many further threads that unpack, at most.  0, or -errno and *err. */
int streams_open(struct streams *streams, const struct reader *reader, uint32_t n_unpack,
		 struct err *err);
void streams_close(struct streams *streams); /* a zeroed one is fine */

/* The next batch, in place of what is in it.  Its error is 0 or -errno. */
void streams_fill(struct streams *streams, struct batch *batch);

/*
 * A batch of one event, for a trace whose workers' clocks do not agree: an event that has to wait
 * for ever waits for others, whatever its time is, and gets the time of the one before it.
 * moved_ns is the most that one was late, at moved_at_ns.  Returns how many workers it looked at.
 */
uint64_t streams_fill_by_cause(struct streams *streams, struct batch *batch, streams_rank *rank,
			       const void *context);

void batch_close(struct batch *batch); /* a zeroed one is fine */
