/* SPDX-License-Identifier: MIT */
/*
 * slices.h - strands as slices that nest on each worker: for viewers that draw stacks.
 *
 *	slice	of a task on one worker: from the start of a strand to the end of a later one.  It
 *		stays open between two strands of the task if they are on this worker and no other
 *		slice would end out of turn; else the task has another slice from there on
 *	call	between two strands of a slice: what ended the first one, a create, a wait ..  The
 *		slices of tasks that run meanwhile lie in it
 *
 * So the time of a slice less that of the calls in it is that of its strands, and a slice with n
 * calls has n + 1 strands.  Times are ns since the window began.  One thread.
 */
#pragma once

#include "tools/dag/running.h"
#include "tools/export/export.h"

/* Says in export->flags[] which slices stay open after a strand. */
void slices_find(struct export *export);

enum slice_step {
	SLICE_ENTER,  /* a slice begins, with the strand */
	SLICE_PAUSE,  /* a call begins: the strand ended */
	SLICE_RESUME, /* it ends: the strand starts */
	SLICE_LEAVE,  /* a slice ends, with the strand */
	SLICE_OVER
};

struct slices {
	const struct export *export;
	uint64_t ns;
	strand_id strand;
	/* slices.c's own */
	strand_id *of;	 /* of all: strands by worker; else NULL */
	uint64_t *first; /* of[] by worker: n_slots + 1 */
	uint64_t at, until;
	bool runs;
	struct running running;
};

/* Of each worker by itself, for slices_each_of(). */
void slices_open(struct slices *slices, const struct export *export);
/* Of all workers, in the order of time. */
void slices_open_all(struct slices *slices, const struct export *export);
enum slice_step slices_next(struct slices *slices);
void slices_close(struct slices *slices); /* a zeroed one is fine */

/* Of one worker after the other, with progress. */
typedef void slice_visit(void *context, enum slice_step step, strand_id s, uint64_t ns);
void slices_each(const struct export *export, slice_visit *visit, void *context);
/* Of one. */
void slices_each_of(struct slices *slices, uint32_t worker, slice_visit *visit, void *context);
