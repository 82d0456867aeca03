/* SPDX-License-Identifier: MIT */
/*
 * ahead.h - what the trace says only later: for each strand, what follows from its end.
 *
 * Built in one pass over the strands, before the sweep that asks; read-only from then on.
 */
#pragma once

#include "tools/dag/dag.h"

#define AHEAD_IDLE_WAIT                                                                            \
	1u		 /* its worker takes nothing until what it waits for is over, elsewhere    \
			  */
#define AHEAD_BLOCKED 2u /* its worker takes nothing until the lock that it waits for is free */
#define AHEAD_CALLS 4u	 /* it takes a lock that is free, or releases one, and goes on */

struct ahead {
	/*
	 * The strand of a task that has begun, which may go on once this one has ended, and does so
	 * on the worker that it ran on before: STRAND_NONE, or one of several.
	 */
	strand_id *lets_on;
	kind_id *creates;    /* of the task that it ended to create; AHEAD_NO_KIND */
	uint8_t *flags;	     /* AHEAD_IDLE_WAIT | .. */
	uint32_t *n_created; /* by task: tasks that it creates and that begin */
};
#define AHEAD_NO_KIND UINT32_MAX

int ahead_build(struct ahead *ahead, const struct dag *dag); /* 0 or -ENOMEM */
void ahead_free(struct ahead *ahead);			     /* a zeroed one is fine */
