/* SPDX-License-Identifier: MIT */
/*
 * frames.h - the different names of slices and calls (slices.h), numbered from 0: for formats that
 * define a name once.
 */
#pragma once

#include "tools/base/map.h"
#include "tools/export/slices.h"

struct frame {
	const char *call;     /* NULL: of a task's slice, */
	kind_id kind;	      /* of that kind, */
	uint64_t n_collapsed; /* with so many tasks collapsed below it */
	strand_id strand;     /* one that has it */
};

struct frames {
	const struct export *export;
	struct frame *frame;
	uint32_t n;
	uint64_t room;
	struct map by_key;
	uint32_t *open; /* frames_step()'s */
	uint64_t n_open, open_room;
};

void frames_find(struct frames *frames, const struct export *export);
void frames_free(struct frames *frames);			     /* a zeroed one is fine */

/*
 * The frame that a step of one worker's slices opens, by ENTER and PAUSE, or closes: each worker's
 * are closed when the next one's begin.
 */
uint32_t frames_step(struct frames *frames, enum slice_step step, strand_id s);
static inline bool frames_opens(enum slice_step step)
{
	return step == SLICE_ENTER || step == SLICE_PAUSE;
}

/* The frame's name.  Returns out or what lives as long as the export. */
const char *frames_name(const struct frames *frames, uint32_t frame, char out[EXPORT_NAME]);
/* Where its code is; NULL of a call. */
const struct place *frames_place(const struct frames *frames, uint32_t frame);
