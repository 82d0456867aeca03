/* SPDX-License-Identifier: MIT */
/* burden.h - what recording took of a run, said at its end where that is much. */
#pragma once

#include "collector/talk/messages.h"

#define BURDEN_LEAST 30u /* percent; less is not said */

/*
 * The CPU time that recording took, in percent of the program's own; 0: not more than BURDEN_LEAST,
 * or unknown.  ran_ns is the CPU time of both.  Each event counts with the least that was measured.
 */
unsigned burden_percent(uint64_t n_events, uint32_t event_ps, uint64_t ran_ns);
/*
 * How many of the events read the clock, at least: details do not.  A task has four that do: it is
 * created, its creator goes on, it begins, and ends; `shared`: each two of these have one reading.
 */
uint64_t burden_readings(uint64_t n_events, uint64_t n_tasks, bool shared);

/* Says it, and what helps this run.  Once all workers' events were taken. */
void burden_say(struct drain *drain, message_say *say);
