/* SPDX-License-Identifier: MIT */
/* lane.h - what dag_build() knows of a worker. */
#pragma once

#include "tools/dag/ids.h"

struct lane {
	task_id task;	  /* whose strand is open, or ended last; TASK_NONE */
	strand_id open;	  /* STRAND_NONE */
	bool noted;	  /* there is something to do before its next event, or after it */
	bool has_event;	  /* there was a timed one */
	bool ended_early; /* its task's END is still to come; it was clear before */
	bool no_worker;	  /* its thread said so */
	bool until_tasks; /* .. as long as it runs none */
	bool global;	  /* DEPEND events are matched among all tasks, not among siblings */
	task_id detailed; /* the task that they are about; TASK_NONE */
	strand_id newest; /* STRAND_NONE */
	uint32_t path;	  /* by which it makes the next task or group; 0 */
	uint64_t last_ns; /* of its last timed event */
};
