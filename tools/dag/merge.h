/* SPDX-License-Identifier: MIT */
/*
 * merge.h - the events of all workers as one stream in order of time.
 *
 * Times may be equal.  Then the order is that in which the events can have happened: what ends
 * a strand before what begins one, and of these what others may be waiting for first.  What has
 * no time of its own follows the event before it at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/trace/reader.h"
#include "tools/dag/unpack.h"

struct merge {
	const struct reader *reader;
	struct cursor *cursor;	    /* n of them */
	struct decoder *decoder;    /* theirs */
	struct unpack *unpack;	    /* who unpacks ahead of them; NULL */
	const struct event **event; /* the next of each worker; NULL at its end */
	uint64_t *ns;		    /* its time; UINT64_MAX at the end */
	uint32_t *heap; /* workers, the earliest first; up to date but for the current worker's, and
			 * only where they are many */
	uint32_t *place; /* of each worker in the heap */
	uint32_t n;
	uint32_t worker;   /* whose event merge_next() gave */
	uint64_t n_steps;  /* through workers whose next events are at the same time */
	uint64_t until_ns; /* that worker may go on alone before this */
	bool by_cause;
	uint64_t now_ns, moved_ns, moved_at_ns;
	/* How long an event has to wait for others of its time, from 0; asked only if there are. */
	unsigned (*rank)(const void *context, uint32_t worker, const struct event *event);
	const void *context;
};

int merge_open(struct merge *merge, const struct reader *reader, struct err *err);
void merge_close(struct merge *merge);

/*
 * For a trace whose workers' clocks do not agree: an event that has to wait for ever (rank) waits
 * for others, whatever its time is, and gets the time of the one before it.  Before the first
 * merge_next().  moved_ns is the most that one was late, at moved_at_ns.
 */
void merge_by_cause(struct merge *merge);

/* The same as merge_next(), whoever's the next event is. */
int merge_turn(struct merge *merge, const struct event **event, uint64_t *ns, struct err *err);
/* The same where the worker's next event is known, and not before until_ns. */
int merge_switch(struct merge *merge, const struct event **event, uint64_t *ns);

/* The next event: 1, 0 at the end, -errno and *err.  Good until the next call. */
static inline int merge_next(struct merge *merge, const struct event **event, uint64_t *ns,
			     struct err *err)
{
	uint32_t worker = merge->worker; /* maybe none yet: that one has no events */
	struct cursor *cursor = &merge->cursor[worker];
	const struct event *next;

	if (cursor->at == cursor->n || merge->by_cause)
		return merge_turn(merge, event, ns, err);
	next = &cursor->event[cursor->at];
	if (kind_timed(next->kind)) {
		uint64_t next_ns = cursor_ns(cursor, next->units);

		merge->ns[worker] = next_ns;
		if (next_ns >= merge->until_ns) {
			cursor->at++;
			merge->event[worker] = next;
			return merge_switch(merge, event, ns);
		}
	}
	cursor->at++;
	merge->event[worker] = *event = next; /* the worker goes on */
	*ns = merge->ns[worker];
	return 1;
}
