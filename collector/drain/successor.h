/* SPDX-License-Identifier: MIT */
/*
 * successor.h - goes on with the trace of a collector that died.
 *
 * As long as the process lives, a thread inside it does; of a process that has ended, the next
 * collector, which gets the memory from `tptrace record`; and where the collector died with its
 * process, `tptrace recover`, which has a copy of the memory (outside/recover.c).
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

/*
 * The same in its steps, for `recover`, which checks what it has between them.  The drain knows by
 * then what lies in the flight recorder's log.
 *
 * trace: opens it, by the name that it has now, behind its last whole block, and takes the marks
 * again that it lacks; NULL: a new one begins.  0, or -errno told in drain->file.err.
 * written: the checkpoint of what trace and flight recorder have of the worker.
 * workers: goes on with all that there are from there, or behind a gap.
 */
int successor_trace(struct drain *drain, const char *path);
struct checkpoint successor_written(const struct drain *drain, const struct worker *worker,
				    uint32_t index);
void successor_workers(struct drain *drain);

/* Once nobody records any more: whether the session's trace has its end, and all that was recorded;
 * of a flight recorder without a log, NULL, all that is left of it. */
bool successor_is_complete(struct drain *drain, const void *log);
