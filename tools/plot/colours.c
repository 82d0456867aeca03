/* SPDX-License-Identifier: MIT */
/* colours.c - the colours of the page, in C. */
#include "tools/plot/colours.h"

const uint32_t colour_of_kind[COLOUR_KINDS] = {
	0x0072b2, 0x009e73, 0x56b4e9, 0xcc79a7, 0xe3c800, 0x332288, 0x999933, 0x882255,
};

const uint32_t colour_of_state[STATES] = {
	[STATE_RUNNING] = 0x0072b2, [STATE_RUNTIME] = 0x7c7f86, [STATE_BLOCKED] = 0xd55e00,
	[STATE_IDLE] = 0xe9ebee,    [STATE_TRACER] = 0xb9b9c4,	[STATE_MESSAGE] = 0xcc79a7,
	[STATE_DEVICE] = 0x009e73,
};

const enum state states_drawn[STATES_DRAWN] = { STATE_RUNTIME, STATE_BLOCKED, STATE_MESSAGE,
						STATE_DEVICE, STATE_TRACER };

const uint32_t colour_of_component[COMPONENTS] = {
	[OF_TOTAL_WORK] = 0x37474f,
	[OF_DELAY] = 0x8c510a,
	[OF_NO_WORK_SCHED] = 0xd8b365,
	[OF_NO_WORK_APP] = 0xc3c9d1,
};
