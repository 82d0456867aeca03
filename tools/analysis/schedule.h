/* SPDX-License-Identifier: MIT */
/*
 * schedule.h - what ran when, and on which worker, in a run that is simulated: whoever simulates
 * fills it, and pages draw it.
 *
 * A strand whose work is parted is there once for each part.  Times are ns from 0 on.
 */
#pragma once

#include <stdlib.h>

#include "tools/dag/dag.h"

struct ran {
	uint64_t start_ns, end_ns;
	uint32_t worker;
	strand_id strand;
};

struct schedule {
	struct ran *ran; /* n, in order of start on each worker */
	uint64_t n, room;
};

static inline void schedule_free(struct schedule *schedule) /* a zeroed one is fine */
{
	free(schedule->ran);
	*schedule = (struct schedule){ 0 };
}
