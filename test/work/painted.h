/* SPDX-License-Identifier: MIT */
/*
 * painted.h - how much of its stack a function of the runtime takes: below the caller's frame it is
 * painted before the call, and looked at after it.  The stack has 16 KiB.
 */
#pragma once

#define PAINTED 11000	  /* bytes below the frame */
#define PAINTED_OWN 512	  /* what the functions here and the caller use themselves, at least */
#define PAINTED_MOST 4096 /* a call may take */

static __attribute__((noinline, unused)) void paint(volatile char *frame)
{
	for (volatile char *at = frame - PAINTED; at < frame - PAINTED_OWN; at++)
		*at = 0x5a;
}

/* Bytes below the frame down to the lowest that is not painted any more. */
static __attribute__((noinline, unused)) int used(volatile char *frame)
{
	for (volatile char *at = frame - PAINTED; at < frame - PAINTED_OWN; at++)
		if (*at != 0x5a)
			return (int)(frame - at);
	return 0;
}
