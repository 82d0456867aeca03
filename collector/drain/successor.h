/* SPDX-License-Identifier: MIT */
/*
 * successor.h - goes on with the trace of a collector outside that died.
 *
 * As long as the process lives, a thread inside it does; of a process that has ended, the next
 * collector, which gets the memory from `tptrace record`.
 *
 * The session says which trace the events go to and how far they had come.  Blocks that are whole
 * in the file stay; a torn one is cut off.  Events that the dead collector had taken and not
 * written are still in their chunk if its worker has not begun with that anew: it is taken back,
 * and taken once more.  So are those of blocks that the flight recorder has thrown away.  The
 * others are a gap (WIRE_LOSS_DIED).  If the trace cannot be had any more, a new one begins, and
 * says so.
 *
 * For the thread that drains from now on.
 */
#pragma once

#include "collector/drain/drain.h"

/*
 * Sets a drain that was just opened to the checkpoints of the dead collector; drain->file has any
 * error.  Others may record meanwhile.  The flight recorder goes on in its log, of so many bytes;
 * NULL: what it kept is lost.
 */
void successor_open(struct drain *drain, void *log, uint64_t log_bytes);

/* Once nobody records any more: whether the session's trace has its end, and all that was recorded;
 * of a flight recorder without a log, NULL, all that is left of it. */
bool successor_is_complete(struct drain *drain, const void *log);
