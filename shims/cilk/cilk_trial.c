/* SPDX-License-Identifier: MIT */
/* cilk_trial.c - what recording takes of a function that spawns twice, and is not stolen. */
#include "shims/common/shim_trial.h"
#include "shims/cilk/cilk.h"

TRIAL_OF(cilk, __cilkrts_enter_frame_1, __cilkrts_enter_frame_1)
TRIAL_OF(cilk, __cilkrts_enter_frame_fast_1, __cilkrts_enter_frame_fast_1)
TRIAL_OF(cilk, __cilkrts_leave_frame, __cilkrts_leave_frame)
TRIAL_OF(cilk, __cilkrts_sync, __cilkrts_sync)

static struct cilk_frame *current; /* of the one thread that tries */

static void stand_in_enter(struct cilk_frame *frame)
{
	frame->flags = 0;
	frame->call_parent = current;
	current = frame;
}

static void stand_in_leave(struct cilk_frame *frame)
{
	current = frame->call_parent;
}

static void stand_in_sync(struct cilk_frame *frame)
{
}

static struct cilk stand_in = { .__cilkrts_enter_frame_1 = stand_in_enter,
				.__cilkrts_enter_frame_fast_1 = stand_in_enter,
				.__cilkrts_leave_frame = stand_in_leave,
				.__cilkrts_sync = stand_in_sync };

struct functions {
	__typeof__(__cilkrts_enter_frame_1_tried) *enter, *enter_fast, *leave, *sync;
};

/* A helper, and the __builtin_setjmp() before its call. */
TRIAL_BODY static void spawn(const struct functions *functions, struct cilk_frame *parent)
{
	struct cilk_frame frame;

	parent->pc = (void *)(uintptr_t)stand_in_enter;
	functions->enter_fast(&frame);
	functions->leave(&frame);
	__asm__ volatile("" : : "r"(&frame) : "memory"); /* it returns to here */
}

TRIAL_BODY static void make(bool recorded)
{
	static const struct functions real = { stand_in_enter, stand_in_enter, stand_in_leave,
					       stand_in_sync };
	const struct functions tried = { __cilkrts_enter_frame_1_tried,
					 __cilkrts_enter_frame_fast_1_tried,
					 __cilkrts_leave_frame_tried, __cilkrts_sync_tried };
	const struct functions *functions = recorded ? &tried : &real;

	for (int i = 0; i < TRIAL_TASKS / 2; i++) {
		struct cilk_frame frame;

		functions->enter(&frame);
		spawn(functions, &frame);
		spawn(functions, &frame);
		if (frame.flags & CILK_UNSYNCHED)
			functions->sync(&frame);
		current = NULL; /* inline, in a program */
	}
}

/* A spawn reads the clock once for two strands, and so does a sync. */
TRIAL_PLAIN(cilk, make, TRIAL_STRANDS, TRIAL_TASKS + TRIAL_TASKS / 2, &stand_in)
