/* SPDX-License-Identifier: MIT */
/* states.c - the rows that follow from the others. */
#include "tools/analysis/states.h"

const char *const state_name[STATES] = { "running", "other", "tracer" };

/* The rest of a component; where expectations were rounded, a state may have got some ns too many.
 */
static uint64_t rest_of(uint64_t total, uint64_t *told)
{
	if (*told > total)
		*told = total;
	return total - *told;
}

void states_complete(struct charge state[STATES], const struct charge *total)
{
	struct charge *tracer = &state[STATE_TRACER];

	state[STATE_RUNNING] = (struct charge){ .work_ns = total->work_ns };
	state[STATE_OTHER] = (struct charge){
		.delay_ns = rest_of(total->delay_ns, &tracer->delay_ns),
		.no_work_sched_ns = rest_of(total->no_work_sched_ns, &tracer->no_work_sched_ns),
		.no_work_app_ns = rest_of(total->no_work_app_ns, &tracer->no_work_app_ns),
	};
}
