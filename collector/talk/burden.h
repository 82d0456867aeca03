/* SPDX-License-Identifier: MIT */
/* burden.h - what recording took of a run, said at its end where that is much. */
#pragma once

#include "collector/talk/messages.h"

#define BURDEN_LEAST 30u /* percent; less is not said */

/*
 * What the recorder's events took of the workers' CPU time, in percent of what the program had of
 * it; 0: not more than BURDEN_LEAST, or not known.  ran_ns is all of that CPU time.  Each event
 * counts with the least that it was measured to take.
 */
unsigned burden_percent(uint64_t n_events, uint32_t event_ps, uint64_t ran_ns);
/*
 * Of the events that were made, how many read the clock at least: details do not.  A task is
 * created, and its creator goes on, it begins, and ends; `shared`: each two of these have one
 * reading.
 */
uint64_t burden_readings(uint64_t n_events, uint64_t n_tasks, bool shared);

/* Says it, and what helps this run.  Once all workers' events were taken. */
void burden_say(struct drain *drain, message_say *say);
