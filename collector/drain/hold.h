/* SPDX-License-Identifier: MIT */
/*
 * hold.h - one worker's events between its chunks and the file, while they may still be collapsed.
 *
 * Events are collapsed slice by slice as they come, and what remains of many slices is
 * collapsed again: so a tree of any size shrinks to little, and each event is looked at once in
 * full, and some few times in what it became.  All events come out in the order in which they went
 * in. One thread; the events are the hold's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "collector/collapse/collapse.h"
#include "collector/drain/backoff.h"
#include "collector/session/chunk.h"

/* Where a hold is collapsed to; then the two change places.  Freed by hold_free_spare(). */
struct hold_spare {
	struct wire_event *event;
	struct wire_event *returned; /* of a hold, for the next one that takes events */
	uint32_t most;		     /* events that there is memory for, of each hold, too; .. */
	uint32_t room;		     /* .. and that may be used: memory that is not takes none */
};

struct hold {
	struct wire_event *event; /* n of them */
	struct hold_spare *spare; /* of the lane that has it now (lane.h) */
	uint32_t n;
	uint32_t n_tried;	  /* n as it was after all of them were collapsed last */
	uint64_t ids_before, ids; /* that the worker had given out before event[0], and after all */
	struct backoff slices; /* some are taken as they are: those before could not be collapsed */
	struct backoff whole;  /* likewise, what is held */
};

/* At most; and where one serves all workers, as memory is limited. */
#define HOLD_ROOM COLLAPSE_SLICE
#define HOLD_ROOM_SHARED CHUNK_EVENTS

/* Takes a slice of events.  0 or -ENOMEM.  Only while hold_has_room(). */
int hold_add(struct hold *hold, struct collapse *collapse, const struct collapse_limits *limits,
	     struct collapse_source *source);
static inline bool hold_has_room(const struct hold *hold, uint32_t n)
{
	return hold->n + n <= hold->spare->room;
}

/* Collapses all that is held, unless that was in vain the last times. */
void hold_collapse(struct hold *hold, struct collapse *collapse,
		   const struct collapse_limits *limits, uint32_t worker);

/* All that is held was taken. */
void hold_clear(struct hold *hold);
/* Lets another hold have the memory, if nothing is held. */
void hold_give_back(struct hold *hold);
void hold_free(struct hold *hold); /* a zeroed one is fine */
void hold_free_spare(struct hold_spare *spare);
