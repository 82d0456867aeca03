/* SPDX-License-Identifier: MIT */
/*
 * pending.h - one worker's pending events: taken from its chunks, not yet written.
 *
 * Events are collapsed slice by slice as they come, and what remains of many slices is
 * collapsed again: so a tree of any size shrinks to little, and each event is read once in
 * full, and a few times in what it became.  All events come out in the order in which they went
 * in. One thread; the buffer owns the events.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/collapse/collapse.h"
#include "collector/drain/backoff.h"
#include "collector/session/chunk.h"

/* Where pending events are collapsed to; then the two buffers change places.  Freed by
 * pending_free_spare(). */
struct pending_spare {
	struct wire_event *event;
	struct wire_event *returned; /* of a buffer, for the next one that takes events */
	uint32_t most;		     /* events that fit, in each pending buffer, too; .. */
	uint32_t room;		     /* .. and that may be used: memory that is not takes none */
};

struct pending_buffer {
	struct wire_event *event;    /* n of them */
	struct pending_spare *spare; /* of the drain thread that has it now */
	uint32_t n;
	uint32_t n_tried;	  /* n as it was after all of them were collapsed last */
	uint64_t ids_before, ids; /* that the worker had given out before event[0], and after all */
	struct backoff slices; /* some are taken as they are: those before could not be collapsed */
	struct backoff whole;  /* likewise, all that is pending */
};

/* At most; and where one serves all workers, as memory is limited. */
#define PENDING_SLOTS COLLAPSE_SLICE
#define PENDING_SLOTS_SHARED CHUNK_EVENTS

/* Whether there is memory for any. */
bool pending_open(struct pending_buffer *pending);

/* Takes a slice of events.  Only after pending_open(), and while pending_has_room(). */
void pending_add(struct pending_buffer *pending, struct collapse *collapse,
		const struct collapse_limits *limits, struct slice *source);
static inline bool pending_has_room(const struct pending_buffer *pending, uint32_t n)
{
	return pending->n + n <= pending->spare->room;
}

/* Collapses all pending events, unless that was in vain the last times. */
void pending_collapse(struct pending_buffer *pending, struct collapse *collapse,
		      const struct collapse_limits *limits, uint32_t worker);

/* Whether n more fit, once all pending events are collapsed if they did not before; not if those
 * still fill more than half: they are to be written then. */
bool pending_make_room(struct pending_buffer *pending, struct collapse *collapse,
		       const struct collapse_limits *limits, uint32_t worker, uint32_t n);

/* All pending events were written. */
void pending_clear(struct pending_buffer *pending);
/* Lends the memory to the next buffer, if nothing is pending. */
void pending_give_back(struct pending_buffer *pending);
void pending_free(struct pending_buffer *pending); /* a zeroed one is fine */
void pending_free_spare(struct pending_spare *spare);
