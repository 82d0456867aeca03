/* SPDX-License-Identifier: MIT */
/* states.c - the names of states and calls. */
#include "tools/analysis/states.h"

const char *const state_name[STATES] = {
	[STATE_RUNNING] = "running", [STATE_RUNTIME] = "runtime", [STATE_BLOCKED] = "blocked",
	[STATE_IDLE] = "idle",	     [STATE_TRACER] = "tracer",	  [STATE_MESSAGE] = "message",
	[STATE_DEVICE] = "device",
};
const char *const state_said[STATES] = {
	[STATE_RUNNING] = "running",
	[STATE_RUNTIME] = "in the runtime",
	[STATE_BLOCKED] = "blocked",
	[STATE_IDLE] = "idle",
	[STATE_TRACER] = "held by the recorder",
	[STATE_MESSAGE] = "in MPI",
	[STATE_DEVICE] = "waiting for a device",
};
const enum state states_charged[STATES_FREE] = { STATE_IDLE,   STATE_RUNTIME, STATE_MESSAGE,
						 STATE_DEVICE, STATE_BLOCKED, STATE_TRACER };
const char *const call_name[CALLS] = {
	"create", "fork", "wait", "lock", "yield", "signal", "begin"
};
