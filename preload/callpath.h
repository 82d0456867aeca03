/* SPDX-License-Identifier: MIT */
/*
 * callpath.h - the call stack that creates a task, found once for each context.
 *
 * Off unless TPTRACE_CALLPATHS=on.  Then worker_make_room() asks at each `create` and `fork`, after
 * the clock was read: what it takes is in no strand, and is told as the tracer's own.
 *
 * A path is the chain of return addresses from the call of the runtime up to the task's own code:
 * it ends below the first frame of a runtime or shim, or at the end of the stack, and has the 48
 * innermost frames of a longer one.  A context is recognised by where on the stack these addresses
 * stood, counted from the recorder's frame, when libunwind first found them: if all of them stand
 * there again, it is the same one.  Nothing is hashed away: equal depth, or equal callers, are not
 * enough.  The same chain with frames of other sizes (alloca) is unwound again and gets the same
 * number.  libunwind runs on a stack of the recorder's own, and is loaded by dlopen().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CALLPATH_VARIABLE "TPTRACE_CALLPATHS" /* on, off */

struct session;

/* While the session begins: loads libunwind, if it is asked for. */
void callpath_open(struct session *session);
bool callpath_on(void);

/*
 * The number of the path that leads to worker_make_room(), whose frame that is; 0: not known.
 * `stack`: the end of a stack for libunwind.  errno is kept.
 */
uint32_t callpath_of(const void *frame, void *stack);
