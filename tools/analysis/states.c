/* SPDX-License-Identifier: MIT */
/* states.c - the names of states and calls. */
#include "tools/analysis/states.h"

const char *const state_name[STATES] = { "running", "runtime", "blocked",
					 "idle",    "tracer",  "message" };
const enum state states_charged[STATES_FREE] = { STATE_IDLE, STATE_RUNTIME, STATE_MESSAGE,
						 STATE_BLOCKED, STATE_TRACER };
const char *const call_name[CALLS] = {
	"create", "fork", "wait", "lock", "yield", "signal", "begin"
};
